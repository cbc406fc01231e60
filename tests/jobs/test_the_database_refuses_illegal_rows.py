"""Each constraint, asked directly: what no transition does, no other hand can do either."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from jobs.models import Job, JobAttempt, JobEvent
from jobs.states import STATUSES
from oncall.models import User
from tests.jobs.factories import add_event, make_job
from tests.jobs.steps import NOON

pytestmark = pytest.mark.django_db
LEASE = {"lease_owner": "worker_x", "lease_expires_at": NOON}
NO_LEASE = {"lease_owner": None, "lease_expires_at": None}


def refused(constraint: str) -> Any:
    """SQLite names a check, and of a unique index the columns or the name."""
    return pytest.raises(IntegrityError, match=constraint)


def change(job: Job, constraint: str, **columns: Any) -> None:
    with refused(constraint), transaction.atomic():
        Job.objects.filter(pk=job.pk).update(**columns)


@pytest.mark.parametrize(
    ("status", "columns", "constraint"),
    [
        ("queued", {"status": "paused", "fair_tag": None}, "job_status_known"),
        ("queued", {"status": "", "fair_tag": None}, "job_status_known"),
        ("queued", LEASE, "job_running_has_lease"),
        ("queued", {"lease_owner": "worker_x"}, "job_running_has_lease"),
        ("queued", {"status": "running", "fair_tag": None}, "job_running_has_lease"),
        ("running", NO_LEASE, "job_running_has_lease"),
        ("running", {"lease_owner": None}, "job_running_has_lease"),
        ("running", {"lease_expires_at": None}, "job_running_has_lease"),
        ("succeeded", LEASE, "job_running_has_lease"),
        ("failed", LEASE, "job_running_has_lease"),
        ("cancelled", {"lease_expires_at": NOON}, "job_running_has_lease"),
        ("succeeded", {"completed_at": None}, "job_terminal_is_complete"),
        ("failed", {"completed_at": None}, "job_terminal_is_complete"),
        ("cancelled", {"completed_at": None}, "job_terminal_is_complete"),
        ("queued", {"completed_at": NOON}, "job_terminal_is_complete"),
        ("running", {"completed_at": NOON}, "job_terminal_is_complete"),
        ("queued", {"status": "failed", "fair_tag": None}, "job_terminal_is_complete"),
        ("queued", {"cancel_requested_at": NOON}, "job_queued_not_cancelled"),
        ("running", {"attempt": 4, "epoch": 4}, "job_attempt_in_budget"),
        ("running", {"attempt": 2}, "job_attempt_in_budget"),
        ("running", {"fair_tag": 0}, "job_ready_is_queued"),
        ("succeeded", {"fair_tag": 0}, "job_ready_is_queued"),
        ("queued", {"max_attempts": 0}, "job_limits_sane|job_attempt_in_budget"),
        ("queued", {"timeout_seconds": 0}, "job_limits_sane"),
        ("queued", {"progress": 1.01}, "job_limits_sane"),
        ("queued", {"progress": -0.01}, "job_limits_sane"),
        ("running", {"attempt": -1}, "attempt"),
        ("running", {"epoch": -1}, "epoch|job_attempt_in_budget"),
    ],
)
def test_a_job(alice: User, status: str, columns: dict[str, Any], constraint: str) -> None:
    change(make_job(status=status, owner=alice), constraint, **columns)


@pytest.mark.parametrize("status", STATUSES)
def test_the_factory_makes_legal_rows(alice: User, status: str) -> None:
    """Else a row above might be refused for another reason."""
    job = make_job(status=status, owner=alice, events=2)
    assert Job.objects.filter(pk=job.pk).update(priority=1) == 1


@pytest.mark.parametrize("status", ["queued", "running"])
@pytest.mark.parametrize("system", [False, True])
def test_a_second_active_job_of_a_resource(alice: User, status: str, system: bool) -> None:
    owner = None if system else alice
    make_job(status=status, owner=owner, resource=("picture", "1"))
    with refused("job_one_active_per_resource"), transaction.atomic():
        make_job(owner=owner, resource=("picture", "1"))
    make_job(owner=owner, resource=("picture", "2"))


def test_a_finished_job_beside_an_active_one(alice: User, bob: User) -> None:
    for status in ("succeeded", "failed", "cancelled", "queued"):
        make_job(status=status, owner=alice, resource=("picture", "1"))
    make_job(owner=bob, resource=("picture", "1"))
    make_job(owner=None, resource=("picture", "1"))


def test_a_second_successor(alice: User) -> None:
    source = make_job(status="failed", owner=alice)
    make_job(owner=alice, retry_of_job_id=source.pk)
    with refused("retry_of_job_id|job_one_successor"), transaction.atomic():
        make_job(owner=alice, retry_of_job_id=source.pk)


def test_a_second_attempt_of_one_claim(alice: User) -> None:
    job = make_job(status="failed", owner=alice)
    with refused("epoch|attempt_one_per_claim"), transaction.atomic():
        JobAttempt.objects.create(
            job=job, epoch=1, number=1, worker="w", started_at=NOON, ended_at=NOON, outcome="failed"
        )


def test_a_second_open_attempt(alice: User) -> None:
    job = make_job(status="running", owner=alice)
    with refused("job_id|attempt_one_open"), transaction.atomic():
        JobAttempt.objects.create(job=job, epoch=2, number=2, worker="w", started_at=NOON)


@pytest.mark.parametrize("columns", [{"outcome": "failed"}, {"ended_at": NOON}, {"outcome": "odd", "ended_at": NOON}])
def test_an_attempt_that_half_ended(alice: User, columns: dict[str, Any]) -> None:
    job = make_job(status="running", owner=alice)
    with refused("attempt_ended_has_outcome"), transaction.atomic():
        JobAttempt.objects.filter(job=job).update(**columns)


def test_two_events_of_one_number(alice: User) -> None:
    job = make_job(status="running", owner=alice)
    event = add_event(job)
    with refused("sequence"), transaction.atomic():
        JobEvent.objects.create(job=job, sequence=event.sequence, epoch=1, type="x", created_at=NOON)


def test_an_owner_with_jobs_cannot_be_deleted(alice: User) -> None:
    make_job(owner=alice)
    with pytest.raises(IntegrityError):
        alice.delete()


def test_deleting_a_job_deletes_its_attempts_and_events(alice: User) -> None:
    make_job(status="failed", owner=alice, events=3).delete()
    assert (JobAttempt.objects.count(), JobEvent.objects.count()) == (0, 0)
