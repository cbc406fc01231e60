"""Who works on what next: reclaim expired leases, promote due jobs, claim ready ones.

All of it runs inside ``transaction.atomic()``: on SQLite IMMEDIATE has taken the write lock before the first read, on
PostgreSQL the same selections lock their rows with SKIP LOCKED. Two claimers never share a row on either.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import OperationalError, connection, transaction

from jobs import instrument, sql
from jobs.claimed import ClaimedJob, claimed
from jobs.errors import MAX_MESSAGE, WORKER_LOST, message_of
from jobs.handlers import reserved_kinds
from jobs.models import Job, JobAttempt
from jobs.passing import passes
from jobs.resources import Change, HookFailed, apply_changes
from jobs.states import CANCELLED, FAILED, QUEUED, RUNNING, Outcome

PROMOTE_AT_MOST = 500
RECLAIM_AT_MOST = 100
PUT_OFF = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class Serves:
    """The kinds that a worker takes: those named, or every kind of the project and those that nobody knows."""

    kinds: frozenset[str] | None = None

    def __contains__(self, kind: str) -> bool:
        return self.kinds is None or kind in self.kinds

    @property
    def has_reserved(self) -> bool:
        return any(kind in self for kind in reserved_kinds())


def ready_kinds(serves: Serves) -> list[str]:
    """The served kinds that have a ready job now: one index look-up each, however long the queue."""
    with connection.cursor() as cursor:
        cursor.execute(sql.READY_KINDS)
        return [kind for (kind,) in cursor.fetchall() if kind in serves]


def next_due() -> datetime | None:
    """When the first delayed job becomes ready."""
    return _earliest(sql.NEXT_DUE)


def next_expiry() -> datetime | None:
    """When the first lease runs out."""
    return _earliest(sql.NEXT_EXPIRY)


def _earliest(statement: str) -> datetime | None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        (found,) = cursor.fetchone()
    # SQLite hands out what Django stored there: UTC as text.
    return datetime.fromisoformat(found).replace(tzinfo=UTC) if isinstance(found, str) else found


def claim(
    *,
    worker: str,
    serves: Serves,
    free: int,
    free_for_others: int | None = None,
    lease_seconds: float,
    now: datetime | None = None,
) -> list[ClaimedJob]:
    """Take at most ``free`` ready jobs for ``worker``, best first; ``free_for_others`` bounds kinds not reserved."""
    if free < 1:
        return []
    with transaction.atomic():
        moment = sql.current_time(now)
        promote(now=moment)
        ids = _choose(serves, free, free if free_for_others is None else free_for_others)
        if not ids:
            return []
        try:
            return _take(ids, worker=worker, lease_seconds=lease_seconds, moment=moment)
        except HookFailed as failed:
            _raise_what_passes(failed)
            return _take_one_by_one(ids, worker=worker, lease_seconds=lease_seconds, moment=moment)


def promote(*, now: datetime | None = None) -> int:
    """Make delayed jobs that are due ready, at most 500; returns how many."""
    moment = sql.current_time(now)
    with connection.cursor() as cursor:
        cursor.execute(sql.PROMOTE[connection.vendor], {"now": sql.stamp(moment), "limit": PROMOTE_AT_MOST})
        return int(cursor.rowcount)


def _choose(serves: Serves, free: int, free_for_others: int) -> list[str]:
    """The ids to take, best first: the heads of each kind, merged."""
    heads: list[tuple[Any, ...]] = []
    with connection.cursor() as cursor:
        for kind in ready_kinds(serves):
            cursor.execute(sql.ready_heads(free, connection.vendor), [kind])
            heads += cursor.fetchall()
    heads.sort(key=lambda head: (-head[2], *head[3:], head[0]))
    reserved = reserved_kinds()
    chosen: list[str] = []
    for job_id, kind, *_ in heads:
        if len(chosen) == free:
            break
        if kind not in reserved:
            if free_for_others < 1:
                continue
            free_for_others -= 1
        chosen.append(job_id)
    return chosen


def _take(ids: Sequence[str], *, worker: str, lease_seconds: float, moment: datetime) -> list[ClaimedJob]:
    """Walk the edge queued → running for ``ids``, in one savepoint with the domain's hooks. Raises ``HookFailed``."""
    now, until = sql.stamp(moment), sql.stamp(moment + timedelta(seconds=lease_seconds))
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(sql.take(ids), [worker, until, now, now, *ids])
            rows = {row[0]: row for row in cursor.fetchall()}
            # RETURNING keeps no order on SQLite.
            jobs = [claimed(rows[job_id], worker) for job_id in ids if job_id in rows]
            cursor.executemany(sql.OPEN_ATTEMPT, [(job.id, job.epoch, job.attempt, worker, now) for job in jobs])
        apply_changes([Change.of(job, from_status=QUEUED, to_status=RUNNING) for job in jobs], moment)
    return jobs


def _take_one_by_one(ids: Sequence[str], *, worker: str, lease_seconds: float, moment: datetime) -> list[ClaimedJob]:
    """After a hook failed for a batch: the job whose hook it was is put off, the others are claimed."""
    jobs: list[ClaimedJob] = []
    for job_id in ids:
        try:
            jobs += _take([job_id], worker=worker, lease_seconds=lease_seconds, moment=moment)
        except HookFailed as failed:
            _raise_what_passes(failed)
            instrument.hook_failed(job_id, failed)
            _put_off(job_id, failed, moment)
    return jobs


def _raise_what_passes(failed: HookFailed) -> None:
    """A lock, a deadlock, a lost connection is no refusal: the whole transaction is repeated by whoever called."""
    if passes(failed.error):
        raise failed.error


def put_off_claim(job: ClaimedJob, error: Exception, *, now: datetime | None = None) -> None:
    """The database refused to commit the claim of ``job``, for what its domain wrote: put it off as well."""
    failed = HookFailed(job.resource_type, error)
    instrument.hook_failed(job.id, failed)
    with transaction.atomic():
        _put_off(job.id, failed, sql.current_time(now))


def _put_off(job_id: str, failed: HookFailed, moment: datetime) -> None:
    error = f"Put off for 30 s, its {failed.resource_type} refused: {message_of(failed.error)}"
    with connection.cursor() as cursor:
        cursor.execute(
            sql.PUT_OFF_CLAIM,
            {
                "id": job_id,
                "until": sql.stamp(moment + PUT_OFF),
                "error": error[:MAX_MESSAGE],
                "now": sql.stamp(moment),
            },
        )


# --- 9: reclaim -----------------------------------------------------------------------------------------------------


def reclaim(*, now: datetime | None = None) -> int:
    """Take back jobs whose lease has expired, at most 100; expiry alone decides, nobody is probed. Returns how many."""
    with transaction.atomic():
        moment = sql.current_time(now)
        rows = list(
            Job.objects.expired(moment)
            .order_by("lease_expires_at")
            .select_for_update(skip_locked=True)[:RECLAIM_AT_MOST]
        )
        rows.sort(key=lambda job: job.pk)
        try:
            _lose(rows, moment)
        except HookFailed as failed:
            _raise_what_passes(failed)
            _lose_one_by_one(rows, moment)
    return len(rows)


def _lose(rows: Iterable[Job], moment: datetime) -> None:
    """Walk the edge that each expired job deserves, in one savepoint with the hooks. Raises ``HookFailed``."""
    changes = []
    with transaction.atomic():
        for job in rows:
            to_status = _after_loss(job)
            if (
                Job.objects.expired(moment)
                .filter(pk=job.pk, epoch=job.epoch)
                .update(
                    status=to_status,
                    lease_owner=None,
                    lease_expires_at=None,
                    available_at=moment if to_status == QUEUED else job.available_at,
                    fair_tag=0 if to_status == QUEUED else None,
                    error_message=WORKER_LOST,
                    completed_at=None if to_status == QUEUED else moment,
                    updated_at=moment,
                )
            ):
                _close_lost(job, moment)
                changes.append(Change.of(job, from_status=RUNNING, to_status=to_status, error=WORKER_LOST))
        apply_changes(changes, moment)
    for change in changes:
        instrument.reclaimed(change)


def _after_loss(job: Job) -> str:
    if job.cancel_requested_at is not None:
        return CANCELLED
    return QUEUED if job.attempt < job.max_attempts else FAILED


def _close_lost(job: Job, moment: datetime) -> None:
    JobAttempt.objects.filter(job_id=job.pk, epoch=job.epoch, outcome=None).update(
        outcome=Outcome.LOST, ended_at=moment, error_class="WorkerLost", error_message=WORKER_LOST
    )


def reclaim_singly(*, now: datetime | None = None) -> None:
    """As ``reclaim``, each job in a transaction of its own: for when the commit of all together was refused."""
    moment = sql.current_time(now)
    for job in Job.objects.expired(moment).order_by("lease_expires_at")[:RECLAIM_AT_MOST]:
        try:
            with transaction.atomic():
                _lose([job], moment)
        except OperationalError:
            raise
        except Exception as error:
            failed = error if isinstance(error, HookFailed) else HookFailed(job.resource_type, error)
            _put_off_loss(job, failed, moment)


def _lose_one_by_one(rows: Iterable[Job], moment: datetime) -> None:
    for job in rows:
        try:
            _lose([job], moment)
        except HookFailed as failed:
            _put_off_loss(job, failed, moment)


def _put_off_loss(job: Job, failed: HookFailed, moment: datetime) -> None:
    instrument.hook_failed(job.pk, failed)
    Job.objects.expired(moment).filter(pk=job.pk, epoch=job.epoch).update(lease_expires_at=moment + PUT_OFF)
