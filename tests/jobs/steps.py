"""Short words for the steps of a job's life, and the whole row to compare before and after."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from jobs import claim, endings, transitions
from jobs.claim import Serves
from jobs.claimed import ClaimedJob
from jobs.endings import Ending
from jobs.enqueue import enqueue
from jobs.errors import Failure
from jobs.models import Job, JobAttempt, JobEvent
from tests.domain.models import Picture

KIND = "thumbnail"
OTHER_KIND = "poster"
ME = "worker_me"
RIVAL = "worker_rival"
LEASE_SECONDS = 30.0
EVERYTHING = Serves()
NOON = datetime(2026, 12, 1, 12, 0, 0, 123456, tzinfo=UTC)
BROKEN = Failure("ValueError", "The page has no text.", "Traceback …")

# Every way to end an attempt, by its name.
ENDINGS: dict[str, Callable[[], Ending]] = {
    "succeeded": lambda: endings.succeeded('{"pages": 3}'),
    "failed": lambda: endings.failed(BROKEN, again_in=None),
    "retried": lambda: endings.failed(BROKEN, again_in=2.0),
    "timed_out": lambda: endings.timed_out(again_in=2.0),
    "cancelled": endings.cancelled,
    "released": endings.released,
    "snoozed": lambda: endings.snoozed(again_in=60.0),
}


def queue(kind: str = KIND, *, owner: Any = None, now: datetime | None = NOON, **fields: Any) -> Job:
    return enqueue(kind, owner=owner, now=now, **fields)


def queue_for_picture(*, owner: Any = None, now: datetime = NOON, **fields: Any) -> tuple[Job, Picture]:
    """A picture and the job that works for it."""
    picture = Picture.objects.create()
    return queue(owner=owner, now=now, resource=("picture", str(picture.pk)), **fields), picture


def take(
    *, worker: str = ME, free: int = 10, serves: Serves = EVERYTHING, now: datetime = NOON, **fields: Any
) -> list[ClaimedJob]:
    return claim.claim(worker=worker, serves=serves, free=free, lease_seconds=LEASE_SECONDS, now=now, **fields)


def take_one(*, worker: str = ME, now: datetime = NOON) -> ClaimedJob:
    (job,) = take(worker=worker, free=1, now=now)
    return job


def end(job: ClaimedJob, ending: str, *, now: datetime | None = NOON) -> str:
    return transitions.finish(job, ENDINGS[ending](), now=now)


def row(job: Job | ClaimedJob) -> dict[str, Any]:
    """Every column of the job's row."""
    return dict(Job.objects.filter(pk=job.id).values().get())


def everything(job: Job | ClaimedJob) -> tuple[Any, ...]:
    """The job's row, attempts and events, whole."""
    attempts = JobAttempt.objects.filter(job_id=job.id).order_by("epoch")
    events = JobEvent.objects.filter(job_id=job.id).order_by("sequence")
    return row(job), list(attempts.values()), list(events.values())


def changed(before: dict[str, Any], after: dict[str, Any]) -> set[str]:
    """The names of the columns that differ."""
    return {name for name, value in before.items() if after[name] != value}


def attempt_of(job: Job | ClaimedJob, *, epoch: int = 1) -> JobAttempt:
    return JobAttempt.objects.get(job_id=job.id, epoch=epoch)


def outcomes(job: Job | ClaimedJob) -> list[str | None]:
    return list(JobAttempt.objects.filter(job_id=job.id).order_by("epoch").values_list("outcome", flat=True))
