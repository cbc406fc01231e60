"""Events and stream under the diagnosis: the job's, in order, from where one was; 409 for a stream without a job."""

from collections.abc import Callable

import pytest
from django.test import AsyncClient, Client

from diagnosis.models import Diagnosis
from jobs.models import Job
from oncall.models import Membership, User
from tests.diagnosis.factories import make_diagnosis
from tests.jobs.api.streams import Stream, in_a_loop, later

SAID = {"events": [("stage.started", {"stage": "intake"}), ("facts.ready", {"a": 1}), ("report.ready", {})]}


@pytest.mark.django_db
def test_a_page_after_a_number(client: Client, alice: User) -> None:
    path = f"/aiops/diagnostics/{make_diagnosis(alice, job=SAID).pk}/events"
    assert [row["sequence"] for row in client.get(path).json()["results"]] == [1, 2, 3]
    (row,) = client.get(path, {"afterSequence": 2}).json()["results"]
    assert set(row) == {"sequence", "type", "payload", "epoch", "createdAt"} and row["type"] == "report.ready"
    for query in ({"afterSequence": "x"}, {"after": "1"}):
        assert client.get(path, query).status_code == 400


@pytest.mark.django_db
def test_nothing_is_left_of_a_pruned_job(client: Client, diagnosis: Diagnosis) -> None:
    Job.objects.all().delete()
    assert client.get(f"/aiops/diagnostics/{diagnosis.pk}/events").json()["results"] == []
    answer = client.get(f"/aiops/diagnostics/{diagnosis.pk}/events:stream")
    assert answer.status_code == 409 and answer["Content-Type"] == "application/json"


async def opened(user: User, diagnosis: Diagnosis, **headers: str) -> Stream:
    client = AsyncClient()
    await client.aforce_login(user)
    response = await client.get(f"/aiops/diagnostics/{diagnosis.pk}/events:stream", headers=headers)
    assert response.status_code == 200, response.content
    return Stream(response)


@pytest.mark.django_db(transaction=True)
@in_a_loop
async def test_a_teammate_follows_it_to_its_end(bob: User, team: User) -> None:
    diagnosis = await later(make_diagnosis, team, job=SAID)
    stream = await opened(bob, diagnosis)
    frames = await stream.rest()
    await stream.close()
    assert [frame.event for frame in frames] == ["stage.started", "facts.ready", "report.ready", "job"]
    assert frames[-1].data["resourceId"] == diagnosis.pk
    stream = await opened(bob, diagnosis, **{"Last-Event-ID": "2"})
    assert [frame.id for frame in await stream.rest()] == [3, None]
    await stream.close()


@pytest.mark.django_db(transaction=True)
@in_a_loop
async def test_whoever_leaves_the_team_sees_no_more(bob: User, team: User, monkeypatch: pytest.MonkeyPatch) -> None:
    diagnosis = await later(make_diagnosis, team, status="running", job=SAID)
    monkeypatch.setattr("jobs.stream.ACCESS_SECONDS", 0.1)
    stream = await opened(bob, diagnosis)
    assert await stream.next() is not None
    await later(Membership.objects.filter(user=bob).delete)
    await stream.rest()  # It ends, although the diagnosis goes on.
    await stream.close()


@pytest.mark.django_db
def test_an_outsider_opens_no_stream(as_user: Callable[[User], Client], charlie: User, diagnosis: Diagnosis) -> None:
    assert as_user(charlie).get(f"/aiops/diagnostics/{diagnosis.pk}/events:stream").status_code == 403
