"""A job, its attempts and its events have exactly the fields of the HTTP interface: no payload, lease or traceback."""

import pytest
from django.test import Client

from jobs.models import JobAttempt
from jobs.states import RUNNING, STATUSES, Outcome
from oncall.models import User
from tests.jobs.factories import make_job

pytestmark = pytest.mark.django_db
JOB = {
    *("id", "ownerUserId", "kind", "resourceType", "resourceId", "status", "attempt", "maxAttempts", "timeoutSeconds"),
    *("priority", "availableAt", "cancelRequestedAt", "retryOfJobId", "errorMessage", "progress", "progressMessage"),
    *("result", "createdAt", "updatedAt", "startedAt", "completedAt"),
}
ATTEMPT = {"number", "epoch", "worker", "startedAt", "endedAt", "outcome", "errorClass", "errorMessage"}
EVENT = {"sequence", "type", "payload", "epoch", "createdAt"}


@pytest.mark.parametrize("status", STATUSES)
def test_of_a_job(client: Client, alice: User, status: str) -> None:
    client.force_login(alice)
    job = make_job(status=status, owner=alice, resource=("picture", "7"), payload={"secret": "hunter2"})
    detail = client.get(f"/background-jobs/{job.pk}")
    assert set(detail.json()) == JOB
    assert client.get("/background-jobs").json()["results"] == [detail.json()]
    assert "hunter2" not in detail.text
    assert (detail.json()["ownerUserId"], detail.json()["status"]) == (alice.pk, status)
    assert detail.json()["createdAt"].endswith("Z")


def test_of_an_attempt(client: Client, alice: User) -> None:
    client.force_login(alice)
    job = make_job(status=RUNNING, owner=alice, attempts=[Outcome.LOST, Outcome.RELEASED])
    JobAttempt.objects.update(traceback="File secret.py")
    answer = client.get(f"/background-jobs/{job.pk}/attempts")
    rows = answer.json()["results"]
    assert all(set(row) == ATTEMPT for row in rows)
    assert [(row["epoch"], row["number"], row["outcome"]) for row in rows] == [
        (1, 1, "lost"),
        (2, 2, "released"),
        (3, 2, None),
    ]
    assert rows[0]["errorMessage"] == "Worker lost: the lease expired."
    assert "secret.py" not in answer.text


def test_of_an_event(client: Client, alice: User) -> None:
    client.force_login(alice)
    job = make_job(status=RUNNING, owner=alice, events=[("said", {"snake_case": {"inner_key": 1}, "n": [1, None]})])
    (row,) = client.get(f"/background-jobs/{job.pk}/events").json()["results"]
    assert set(row) == EVENT
    assert (row["sequence"], row["type"], row["epoch"]) == (1, "said", 1)
    assert row["payload"] == {"snake_case": {"inner_key": 1}, "n": [1, None]}


def test_a_result_passes_through_untouched(client: Client, alice: User) -> None:
    client.force_login(alice)
    job = make_job(status="succeeded", owner=alice, result={"page_count": 3, "标题": ["a"]})
    assert client.get(f"/background-jobs/{job.pk}").json()["result"] == {"page_count": 3, "标题": ["a"]}
