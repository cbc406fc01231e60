"""Legal rows of the runtime for any status, as its own transitions would have left them: job, attempts, events."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from jobs.models import Job, JobAttempt, JobEvent, Worker
from jobs.states import CANCELLED, FAILED, QUEUED, RUNNING, SUCCEEDED, TERMINAL, Outcome
from oncall.models import User

WORKER_ID = "worker_" + "0" * 32
LEASE = timedelta(seconds=30)
STEP = timedelta(seconds=1)
ERRORS = {
    Outcome.FAILED: ("ValueError", "The page has no text."),
    Outcome.TIMED_OUT: ("TimeoutError", "Background job timed out."),
    Outcome.LOST: ("WorkerLost", "Worker lost: the lease expired."),
}
_LAST_ATTEMPT = {SUCCEEDED: (Outcome.SUCCEEDED,), FAILED: (Outcome.FAILED,)}

Said = int | Sequence[tuple[str, Any]]


def make_job(
    *,
    status: str = QUEUED,
    owner: User | int | None = None,
    kind: str = "sample",
    resource: tuple[str, str] = ("", ""),
    attempts: Sequence[str] | None = None,
    events: Said = 0,
    created_at: datetime | None = None,
    **fields: Any,
) -> Job:
    """A job of any status. ``owner`` None is the system.

    ``attempts`` are the outcomes of its ended attempts, in order (a running job has an open one besides); left out, it
    has the fewest that its status needs. ``events`` are pairs of type and payload, or how many to make up; they belong
    to the last attempt. ``fields`` are further columns of the job (``priority=5``).
    """
    said = [("step", {"number": number}) for number in range(1, events + 1)] if isinstance(events, int) else events
    outcomes = list(_fewest_attempts(status, bool(said)) if attempts is None else attempts)
    created = created_at or timezone.now() - timedelta(minutes=1)
    job = Job(
        owner_user_id=owner if owner is None or isinstance(owner, int) else owner.pk,
        kind=kind,
        resource_type=resource[0],
        resource_id=resource[1],
        created_at=created,
        **_columns(status, outcomes, created),
    )
    for name, value in {"event_seq": len(said), **fields}.items():
        setattr(job, name, value)
    job.save(force_insert=True)
    JobAttempt.objects.bulk_create(_attempt_rows(job, outcomes))
    JobEvent.objects.bulk_create(event_row(job, n, *one) for n, one in enumerate(said, start=1))
    return job


def add_event(job: Job, type: str = "step", payload: Any = None) -> JobEvent:
    """One more event of a job, as its attempt would append it."""
    job.event_seq += 1
    job.save(update_fields=["event_seq"])
    row = event_row(job, job.event_seq, type, payload if payload is not None else {"number": job.event_seq})
    row.save(force_insert=True)
    return row


def event_row(job: Job, sequence: int, type: str, payload: Any) -> JobEvent:
    at = job.created_at + job.epoch * STEP
    return JobEvent(job=job, sequence=sequence, epoch=job.epoch, type=type, payload=payload, created_at=at)


def make_worker(*, state: str = Worker.State.RUNNING, now: datetime | None = None, **fields: Any) -> Worker:
    """A worker that beat a second ago."""
    beat = (now or timezone.now()) - STEP
    values = {
        "id": WORKER_ID,
        "host": "host-1",
        "pid": 4711,
        "version": "0.1.0",
        "kinds": [],
        "concurrency": 4,
        "started_at": beat - timedelta(hours=2),
        "heartbeat_at": beat,
        "expires_at": beat if state == Worker.State.STOPPED else beat + LEASE,
        "memory_bytes": 120 * 1024 * 1024,
    }
    return Worker.objects.create(state=state, **{**values, **fields})


def _fewest_attempts(status: str, has_events: bool) -> Sequence[str]:
    if has_events and status in (QUEUED, CANCELLED):  # Only an attempt says anything.
        return (Outcome.RELEASED,) if status == QUEUED else (Outcome.CANCELLED,)
    return _LAST_ATTEMPT.get(status, ())


def _columns(status: str, outcomes: Sequence[str], created: datetime) -> dict[str, Any]:
    """What follows from the status and the attempts; attempt n starts n seconds after the job and takes one."""
    open_attempts = int(status == RUNNING)
    charged = sum(outcome not in Outcome.NOT_CHARGED for outcome in outcomes) + open_attempts
    epoch = len(outcomes) + open_attempts
    ended = created + (len(outcomes) + 1) * STEP
    columns: dict[str, Any] = {
        "status": status,
        "epoch": epoch,
        "attempt": charged,
        "max_attempts": max(3, charged),
        "available_at": created,
        "updated_at": ended if outcomes or status == CANCELLED else created + epoch * STEP,
        "started_at": created + STEP if epoch else None,
        "error_message": ERRORS.get(outcomes[-1], ("", ""))[1] if outcomes else "",
        "fair_tag": 0 if status == QUEUED else None,
    }
    if status == RUNNING:
        columns |= {"lease_owner": WORKER_ID, "lease_expires_at": timezone.now() + LEASE}
    if status in TERMINAL:
        columns |= {"completed_at": ended}
    if status == CANCELLED:
        columns |= {"cancel_requested_at": ended}
    if status == SUCCEEDED:
        columns |= {"result": {"done": True}, "progress": 1, "error_message": ""}
    return columns


def _attempt_rows(job: Job, outcomes: Sequence[str]) -> list[JobAttempt]:
    rows, charged = [], 0
    for epoch, outcome in enumerate([*outcomes, *([None] if job.status == RUNNING else [])], start=1):
        started = job.created_at + epoch * STEP
        error_class, error = ERRORS.get(outcome or "", ("", ""))
        rows.append(
            JobAttempt(
                job=job,
                epoch=epoch,
                number=charged + 1,
                worker=WORKER_ID,
                started_at=started,
                ended_at=None if outcome is None else started + STEP,
                outcome=outcome,
                error_class=error_class,
                error_message=error,
                traceback=f"Traceback (most recent call last):\n{error_class}: {error}" if error_class else "",
            )
        )
        charged += outcome not in Outcome.NOT_CHARGED
    return rows
