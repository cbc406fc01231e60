"""``afterSequence=n`` gives n+1 and on, in order, a page at a time, without a gap or a double."""

import pytest
from django.test import Client

from jobs.models import Job
from jobs.states import RUNNING
from oncall.models import User
from tests.jobs.factories import make_job

pytestmark = pytest.mark.django_db


@pytest.fixture
def job(client: Client, alice: User) -> Job:
    client.force_login(alice)
    return make_job(owner=alice, status=RUNNING, events=12)


@pytest.mark.parametrize(("after", "expected"), [(0, range(1, 13)), (7, range(8, 13)), (12, []), (4_000_000_000, [])])
def test_after_n(client: Client, job: Job, after: int, expected: range) -> None:
    rows = client.get(f"/background-jobs/{job.pk}/events", {"afterSequence": after}).json()["results"]
    assert [row["sequence"] for row in rows] == list(expected)


@pytest.mark.parametrize("limit", [1, 5, 11, 12])
def test_page_by_page(client: Client, job: Job, limit: int) -> None:
    url, seen = f"/background-jobs/{job.pk}/events?afterSequence=2&limit={limit}", []
    while url:
        page = client.get(url).json()
        seen += [row["sequence"] for row in page["results"]]
        url = page["next"]
    assert seen == list(range(3, 13))


@pytest.mark.parametrize("after", ["-1", "x", "", "1.5", "９", "12345678901"])
@pytest.mark.parametrize("below", ["events", "events:stream"])
def test_a_bad_cursor_is_named(client: Client, job: Job, after: str, below: str) -> None:
    response = client.get(f"/background-jobs/{job.pk}/{below}", {"afterSequence": after})
    assert (response.status_code, response.json()["errors"][0]["attr"]) == (400, "afterSequence")


def test_a_bad_header_is_named(client: Client, job: Job) -> None:
    response = client.get(f"/background-jobs/{job.pk}/events:stream", headers={"Last-Event-ID": "x"})
    assert (response.status_code, response.json()["errors"][0]["attr"]) == (400, "Last-Event-ID")
