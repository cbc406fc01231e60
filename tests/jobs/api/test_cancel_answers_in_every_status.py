"""Cancel: a waiting job is over at once, a running one is asked to stop, a finished one keeps every byte."""

import pytest
from django.test import Client

from jobs.models import Job
from jobs.states import ACTIVE, CANCELLED, QUEUED, RUNNING, STATUSES, TERMINAL
from oncall.models import User
from tests.jobs.factories import make_job

pytestmark = pytest.mark.django_db


def cancel(client: Client, job: Job) -> dict[str, object]:
    response = client.post(f"/background-jobs/{job.pk}:cancel")
    assert response.status_code == 200
    answer: dict[str, object] = response.json()
    assert answer == client.get(f"/background-jobs/{job.pk}").json()
    return answer


def test_queued(client: Client, alice: User) -> None:
    client.force_login(alice)
    answer = cancel(client, make_job(owner=alice, status=QUEUED))
    assert answer["status"] == CANCELLED
    assert answer["completedAt"] is not None


def test_running(client: Client, alice: User) -> None:
    client.force_login(alice)
    job = make_job(owner=alice, status=RUNNING)
    first = cancel(client, job)
    assert (first["status"], first["completedAt"]) == (RUNNING, None)
    assert first["cancelRequestedAt"] is not None
    assert cancel(client, job) == first


@pytest.mark.parametrize("status", sorted(TERMINAL))
def test_finished(client: Client, alice: User, status: str) -> None:
    client.force_login(alice)
    job = make_job(owner=alice, status=status, events=2)
    before = Job.objects.filter(pk=job.pk).values().get()
    assert cancel(client, job)["status"] == status
    assert Job.objects.filter(pk=job.pk).values().get() == before


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff"])
def test_a_body_is_not_looked_at(client: Client, alice: User, status: str, body: bytes) -> None:
    client.force_login(alice)
    job = make_job(owner=alice, status=status)
    response = client.post(f"/background-jobs/{job.pk}:cancel", body, content_type="application/json")
    assert response.status_code == 200
    assert (response.json()["cancelRequestedAt"] is not None) == (status in ACTIVE | {CANCELLED})
