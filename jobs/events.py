"""A job's log: append under the fence, read after a cursor. The runtime appends nothing of its own."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection, models, transaction

from jobs import sql
from jobs.claimed import ClaimedJob
from jobs.handlers import LeaseLost
from jobs.models import Job, JobEvent


class Event(NamedTuple):
    """A new event: its type and its payload as JSON text."""

    type: str
    payload: str


class Progress(NamedTuple):
    fraction: float
    message: str


def append(
    job: ClaimedJob,
    new: Sequence[Event],
    *,
    known: int,
    progress: Progress | None = None,
    now: datetime | None = None,
) -> int:
    """Write ``new`` after the ``known`` sequence numbers of the job; returns the last number it has now.

    The statement that raises the number is the one that proves the fence. Where an earlier commit stood although its
    reply was lost, the events that are there already are not written again. Raises ``LeaseLost``.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        moment = sql.stamp(sql.current_time(now))
        fence: dict[str, Any] = {"id": job.id, "epoch": job.epoch, "worker": job.worker}
        if new:
            cursor.execute(sql.APPEND_EVENTS, {**fence, "count": len(new), "known": known})
            if cursor.rowcount != 1:
                stood = _numbers_beyond(job, known)
                return append(job, new[stood:], known=known + stood, progress=progress, now=now)
            numbered = enumerate(new, start=known + 1)
            cursor.executemany(
                sql.INSERT_EVENT,
                [(job.id, number, job.epoch, event.type, event.payload, moment) for number, event in numbered],
            )
        if progress is not None:
            values = {**fence, "progress": progress.fraction, "message": progress.message, "now": moment}
            cursor.execute(sql.SET_PROGRESS, values)
            if cursor.rowcount != 1:
                raise LeaseLost(f"Job {job.id}: epoch {job.epoch} is over; its progress is not recorded.")
    return known + len(new)


def _numbers_beyond(job: ClaimedJob, known: int) -> int:
    """How many numbers after ``known`` this attempt has taken already. Raises ``LeaseLost``."""
    mine = Job.objects.filter(pk=job.id, status="running", lease_owner=job.worker, epoch=job.epoch)
    last = mine.values_list("event_seq", flat=True).first()
    if last is None or last <= known:
        raise LeaseLost(f"Job {job.id}: epoch {job.epoch} is over; its events are not recorded.")
    return last - known


def read(job_id: str, *, after: int = 0) -> models.QuerySet[JobEvent]:
    """The job's events with a sequence number above ``after``, in order. The caller has checked the owner."""
    return JobEvent.objects.filter(job_id=job_id, sequence__gt=after).order_by("sequence")
