"""A browser that is signed in can read every job call as a page, refusals included."""

import pytest
from django.test import Client

from jobs.states import FAILED
from oncall.models import User
from tests.jobs.factories import make_job

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("verb", "below", "status"),
    [
        ("GET", "", 200),
        ("GET", "/events", 200),
        ("GET", "/attempts", 200),
        ("POST", ":cancel", 200),
        ("POST", ":retry", 409),
        ("GET", ":cancel", 405),
        ("DELETE", "", 405),
    ],
)
def test_as_a_page(client: Client, alice: User, verb: str, below: str, status: int) -> None:
    client.force_login(alice)
    job = make_job(owner=alice, status=FAILED, events=2, kind="forgotten")
    response = client.generic(verb, f"/background-jobs/{job.pk}{below}", headers={"Accept": "text/html"})
    assert response.status_code == status
    assert response["Content-Type"].startswith("text/html")


def test_the_list_as_a_page(client: Client, alice: User) -> None:
    client.force_login(alice)
    job = make_job(owner=alice)
    response = client.get("/background-jobs?status=queued", headers={"Accept": "text/html"})
    assert response.status_code == 200 and job.pk in response.text


def test_the_root_leads_to_them(client: Client) -> None:
    assert client.get("/api").json()["background-jobs"].endswith("/background-jobs")
