"""Retry: a failed or cancelled job gets one successor; every other wish is a conflict that says what is in the way."""

from collections.abc import Iterator

import pytest
from django.test import Client

from jobs.models import Job
from jobs.resources import register_resource, unregister_resource
from jobs.states import CANCELLED, FAILED, QUEUED, RUNNING, STATUSES, SUCCEEDED
from oncall.models import User
from tests.jobs.factories import make_job

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(client: Client, alice: User, sample_kind: str) -> User:
    client.force_login(alice)
    return alice


@pytest.mark.parametrize("status", [FAILED, CANCELLED])
def test_a_new_job(client: Client, owner: User, status: str) -> None:
    source = make_job(owner=owner, status=status, max_attempts=5, priority=3, resource=("picture", "7"))
    before = Job.objects.filter(pk=source.pk).values().get()
    response = client.post(f"/background-jobs/{source.pk}:retry")
    assert response.status_code == 202
    new = response.json()
    assert new["id"] != source.pk
    assert (new["retryOfJobId"], new["status"], new["attempt"]) == (source.pk, QUEUED, 0)
    assert (new["kind"], new["maxAttempts"], new["priority"]) == ("sample", 5, 3)
    assert (new["resourceType"], new["resourceId"], new["ownerUserId"]) == ("picture", "7", owner.pk)
    assert (new["startedAt"], new["errorMessage"]) == (None, "")
    assert Job.objects.filter(pk=source.pk).values().get() == before


@pytest.mark.parametrize("status", [QUEUED, RUNNING, SUCCEEDED])
def test_a_job_that_is_not_over_or_went_well(client: Client, owner: User, status: str) -> None:
    job = make_job(owner=owner, status=status)
    assert status in conflict(client, job)


@pytest.mark.parametrize("status", STATUSES)
def test_the_successor_is_named(client: Client, owner: User, status: str) -> None:
    source = make_job(owner=owner, status=FAILED)
    successor = make_job(owner=owner, status=status, retry_of_job_id=source.pk)
    assert successor.pk in conflict(client, source)


def test_the_second_click_names_the_first_ones_job(client: Client, owner: User) -> None:
    source = make_job(owner=owner, status=FAILED)
    first = client.post(f"/background-jobs/{source.pk}:retry").json()
    assert first["id"] in conflict(client, source, jobs=2)


def test_another_job_works_for_the_resource(client: Client, owner: User) -> None:
    source = make_job(owner=owner, status=FAILED, resource=("picture", "7"))
    active = make_job(owner=owner, status=RUNNING, resource=("picture", "7"))
    assert active.pk in conflict(client, source)


def test_nobody_runs_the_kind_any_more(client: Client, owner: User) -> None:
    source = make_job(owner=owner, status=FAILED, kind="forgotten")
    assert "forgotten" in conflict(client, source)


@pytest.fixture
def resource_without_row() -> Iterator[str]:
    from jobs.resources import NotRetryable

    def prepare_retry(resource_id: str) -> str:
        raise NotRetryable("The picture was deleted.")

    register_resource("picture", lambda changes, now: None, prepare_retry=prepare_retry)
    yield "picture"
    unregister_resource("picture")


def test_the_domain_may_refuse(client: Client, owner: User, resource_without_row: str) -> None:
    source = make_job(owner=owner, status=FAILED, resource=(resource_without_row, "7"))
    assert conflict(client, source) == "The picture was deleted."


def conflict(client: Client, job: Job, *, jobs: int | None = None) -> str:
    """The detail of the refusal; nothing was made."""
    before = Job.objects.count() if jobs is None else jobs
    response = client.post(f"/background-jobs/{job.pk}:retry")
    assert response.status_code == 409
    (error,) = response.json()["errors"]
    assert error["code"] == "CONFLICT"
    assert Job.objects.count() == before
    return str(error["detail"])
