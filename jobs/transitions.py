"""The only ways, with ``jobs.claim``, in which a job's status changes.

Each transition is guarded UPDATEs in one ``atomic()`` block with the row count checked, and the domain hook in the same
transaction. ``docs/state-machine.md`` has the table. "Mine": running, under this worker, in this epoch.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction

from jobs import endings, sql
from jobs.claimed import ClaimedJob
from jobs.endings import Edge, Ending
from jobs.errors import Failure, message_of
from jobs.handlers import LeaseLost
from jobs.models import Job, JobAttempt
from jobs.resources import Change, apply_changes
from jobs.runtime.wakeup import wake_after_commit
from jobs.states import CANCELLED, QUEUED, RUNNING

PUT_OFF = timedelta(seconds=30)


class DomainFailed(Exception):
    """The handler's own finish raised ``error``; nothing of the end was written."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(message_of(error))
        self.error = error


class BatchRefused(Exception):
    """Not every job of a batch took the first edge of its ending; nothing of the batch stands. Do them one by one."""


# --- 4, 5, 6, 8, 10, 12: the ends of an attempt ---------------------------------------------------------------------


def succeed(job: ClaimedJob, *, result: str | None = None, now: datetime | None = None) -> str:
    return finish(job, endings.succeeded(result), now=now)


def fail(job: ClaimedJob, failure: Failure, *, again_in: float | None = None, now: datetime | None = None) -> str:
    return finish(job, endings.failed(failure, again_in=again_in), now=now)


def acknowledge_cancel(job: ClaimedJob, *, now: datetime | None = None) -> str:
    return finish(job, endings.cancelled(), now=now)


def release(job: ClaimedJob, *, now: datetime | None = None) -> str:
    return finish(job, endings.released(), now=now)


def snooze(job: ClaimedJob, *, seconds: float, now: datetime | None = None) -> str:
    return finish(job, endings.snoozed(again_in=seconds), now=now)


def finish(
    job: ClaimedJob, ending: Ending, *, domain: Callable[[], None] | None = None, now: datetime | None = None
) -> str:
    """End the attempt that holds ``job``; returns the status that the job has now.

    ``domain`` runs after the fence has been proved and only if the job succeeds. Raises ``LeaseLost`` when the job is
    no longer this attempt's, ``DomainFailed`` and ``HookFailed`` when the domain refused; then nothing has changed.
    """
    with transaction.atomic():
        moment = sql.current_time(now)
        for edge in ending.edges:
            if _walk(edge, [(job, ending)], moment):
                break
        else:
            return _already_ended(job, ending)
        _close_attempts([(job, ending, edge)], moment)
        if domain is not None and edge is endings.SUCCEED:
            _run_domain(domain)
        apply_changes([_change(job, ending, edge)], moment)
    return edge.to_status


def _run_domain(domain: Callable[[], None]) -> None:
    try:
        domain()
    except BaseException as error:  # sys.exit() too: it must not end the worker's thread.
        raise DomainFailed(error) from error


def finish_together(batch: Sequence[tuple[ClaimedJob, Ending]], *, now: datetime | None = None) -> None:
    """End many attempts in one transaction, each by the first edge of its ending.

    All or nothing: raises ``BatchRefused`` when one guard does not match, ``HookFailed`` when a domain refuses.
    """
    if not batch:
        return
    with transaction.atomic():
        moment = sql.current_time(now)
        lock_in_order([job.id for job, _ in batch])
        by_edge: dict[Edge, list[tuple[ClaimedJob, Ending]]] = {}
        for job, ending in batch:
            by_edge.setdefault(ending.edges[0], []).append((job, ending))
        for edge, group in by_edge.items():
            if _walk(edge, group, moment) != len(group):
                raise BatchRefused
        _close_attempts([(job, ending, ending.edges[0]) for job, ending in batch], moment)
        apply_changes([_change(job, ending, ending.edges[0]) for job, ending in batch], moment)


def put_off_finish(job: ClaimedJob, *, now: datetime | None = None) -> None:
    """Leave the job running without a worker for 30 s: its domain refuses every ending, the reclaim will try again."""
    with transaction.atomic(), connection.cursor() as cursor:
        until = sql.current_time(now) + PUT_OFF
        cursor.execute(sql.PUT_OFF_FINISH, {**_fence(job), "until": sql.stamp(until)})


def _fence(job: ClaimedJob) -> dict[str, Any]:
    return {"id": job.id, "epoch": job.epoch, "worker": job.worker}


def _walk(edge: Edge, group: Sequence[tuple[ClaimedJob, Ending]], moment: datetime) -> int:
    """Run one edge for a group; how many rows matched its guard."""
    now = sql.stamp(moment)
    rows = [
        {
            **_fence(job),
            "now": now,
            "result": ending.result,
            "error": ending.error,
            "available_at": sql.stamp(moment + timedelta(seconds=ending.again_in)) if ending.again_in else now,
        }
        for job, ending in group
    ]
    with connection.cursor() as cursor:
        cursor.executemany(edge.statement, rows)
        return int(cursor.rowcount)


def _close_attempts(ended: Sequence[tuple[ClaimedJob, Ending, Edge]], moment: datetime) -> None:
    now = sql.stamp(moment)
    rows = [
        {
            "id": job.id,
            "epoch": job.epoch,
            "now": now,
            "outcome": edge.outcome or ending.outcome,
            "error_class": ending.failure.error_class if ending.failure else "",
            "error": ending.error,
            "traceback": ending.failure.traceback if ending.failure else "",
        }
        for job, ending, edge in ended
    ]
    with connection.cursor() as cursor:
        cursor.executemany(sql.CLOSE_ATTEMPT, rows)


def _change(job: ClaimedJob, ending: Ending, edge: Edge) -> Change:
    return Change.of(job, from_status=RUNNING, to_status=edge.to_status, error=ending.error)


def _already_ended(job: ClaimedJob, ending: Ending) -> str:
    """The status, when this very ending stands already because the reply to its commit was lost; else ``LeaseLost``."""
    possible = {edge.outcome or ending.outcome for edge in ending.edges}
    stands = JobAttempt.objects.filter(job_id=job.id, epoch=job.epoch, outcome__in=possible).exists()
    if not stands:
        raise LeaseLost(f"Job {job.id}: epoch {job.epoch} is over; its late end changes nothing.")
    return Job.objects.values_list("status", flat=True).get(pk=job.id)


def lock_in_order(ids: Sequence[str]) -> None:
    """PostgreSQL: job rows are locked in id order everywhere, so that two batches cannot wait for each other."""
    if connection.features.has_select_for_update:
        list(Job.objects.filter(pk__in=ids).order_by("pk").select_for_update().values_list("pk"))


# --- 3: renewal -----------------------------------------------------------------------------------------------------


def renew(jobs: Sequence[ClaimedJob], *, lease_seconds: float, now: datetime | None = None) -> "Renewal":
    """Extend the leases that are still this worker's, pair by pair of (id, epoch); rows locked by others are left out.

    The jobs are those of one worker; the answer says for each pair what became of it.
    """
    with transaction.atomic():
        moment = sql.current_time(now)
        rows = Job.objects.filter(pk__in=[job.id for job in jobs]).select_for_update(skip_locked=True)
        seen = {row["id"]: row for row in rows.values("id", "epoch", "status", "lease_owner", "cancel_requested_at")}
        mine = [job for job in jobs if job.id in seen and _is_mine(seen[job.id], job)]
        if mine:
            with connection.cursor() as cursor:
                until = sql.stamp(moment + timedelta(seconds=lease_seconds))
                ids = [job.id for job in mine]
                cursor.execute(sql.renew(ids), [until, *ids, mine[0].worker])
        locked = {job.key for job in jobs if job.id not in seen and _still_mine(job)}
    renewed = {job.key for job in mine}
    return Renewal(
        renewed=renewed,
        lost={job.key for job in jobs} - renewed - locked,
        cancel_requested={job.key for job in mine if seen[job.id]["cancel_requested_at"] is not None},
    )


Key = tuple[str, int]


class Renewal:
    """The pairs (id, epoch) whose lease was extended, those that are lost, and those somebody wants cancelled."""

    __slots__ = ("cancel_requested", "lost", "renewed")

    def __init__(self, *, renewed: set[Key], lost: set[Key], cancel_requested: set[Key]) -> None:
        self.renewed = renewed
        self.lost = lost
        self.cancel_requested = cancel_requested


def _is_mine(row: Mapping[str, Any], job: ClaimedJob) -> bool:
    return (row["status"], row["lease_owner"], row["epoch"]) == (RUNNING, job.worker, job.epoch)


def _still_mine(job: ClaimedJob) -> bool:
    mine = Job.objects.filter(pk=job.id, status=RUNNING, lease_owner=job.worker, epoch=job.epoch)
    return mine.exists()


# --- 7: cancel ------------------------------------------------------------------------------------------------------


def request_cancel(job_id: str, *, now: datetime | None = None) -> Job:
    """Cancel a queued job at once, ask a running one to stop, leave a finished one exactly as it is; returns the job.

    Raises ``Job.DoesNotExist``.
    """
    with transaction.atomic():
        # The row first: between two guards a running job could come back to the queue and slip through both.
        Job.objects.select_for_update().values("pk").get(pk=job_id)
        moment = sql.current_time(now)
        same = Job.objects.filter(pk=job_id)
        if same.filter(status=QUEUED).update(
            status=CANCELLED, cancel_requested_at=moment, completed_at=moment, updated_at=moment, fair_tag=None
        ):
            job = same.get()
            apply_changes([Change.of(job, from_status=QUEUED, to_status=CANCELLED, error=job.error_message)], moment)
            return job
        same.filter(status=RUNNING, cancel_requested_at=None).update(cancel_requested_at=moment, updated_at=moment)
        wake_after_commit()
        return same.get()


def request_cancel_for(resource_type: str, resource_ids: Iterable[str], *, now: datetime | None = None) -> None:
    """Cancel every active job of these resources, in id order: for a domain row that is about to go."""
    with transaction.atomic():
        active = Job.objects.active().filter(resource_type=resource_type, resource_id__in=list(resource_ids))
        ids = list(active.order_by("pk").values_list("pk", flat=True))
        # All job rows before the first hook takes a domain row: a worker that ends one of them has that order too.
        lock_in_order(ids)
        for job_id in ids:
            with suppress(Job.DoesNotExist):
                request_cancel(job_id, now=now)
