"""Writing how runs ended: together where all agree, one by one where one does not. Called inside a transaction."""

from collections.abc import Callable, Sequence
from datetime import datetime

from django.db import connection

from jobs import endings, instrument
from jobs.errors import failure_of
from jobs.handlers import LeaseLost
from jobs.models import Job
from jobs.passing import DATABASE_AWAY, passes
from jobs.resources import HookFailed
from jobs.runtime.clock import moment
from jobs.runtime.gate import gate
from jobs.runtime.outcome import ending_of_error
from jobs.runtime.run import Run
from jobs.transitions import DomainFailed, finish, finish_together, put_off_finish

Status = str | None


class _DeadlinePassed(Exception):
    """The handler's finish took longer than the job may."""


def locked_elsewhere(ids: Sequence[str]) -> set[str]:
    """PostgreSQL: the jobs whose rows another transaction has now. The others are locked, in id order."""
    if not connection.features.has_select_for_update_skip_locked:
        return set()
    rows = Job.objects.filter(pk__in=ids)
    ours = rows.order_by("pk").select_for_update(skip_locked=True).values_list("pk", flat=True)
    missing = set(ids).difference(ours)
    return set(Job.objects.filter(pk__in=missing).values_list("pk", flat=True)) if missing else set()


def send(run: Run) -> None:
    """Write what the run has said. What no longer may be written, or cannot be, is dropped, and the log says so."""
    try:
        if run.lost:
            raise LeaseLost(f"Job {run.job.id}: epoch {run.job.epoch} was given up; its events are not recorded.")
        run.said.write()
    except DATABASE_AWAY:
        raise
    except LeaseLost as error:
        instrument.lease_lost(run.job, str(error))
        run.said.forget_after(0)
    except Exception as error:
        instrument.worker_error("events", error)
        run.said.forget_after(0)


def finish_all(runs: Sequence[Run]) -> list[Status]:
    """End each run as it is settled; the status each job has now, None where nothing was written for it."""
    try:
        finish_together([(run.job, _settled(run)) for run in runs])
    except Exception as error:  # One of them does not fit; which, and why, shows when each is on its own.
        _raise_what_passes(error)
        return [finish_one(run) for run in runs]
    return [_settled(run).edges[0].to_status for run in runs]


def finish_one(run: Run, *, now: datetime | None = None) -> Status:
    """End one run. Where its domain refuses, the attempt fails with that error; refused even that, it waits."""
    try:
        return finish(run.job, _settled(run), domain=_within_deadline(run), now=now)
    except LeaseLost:
        instrument.late(run.job, _settled(run).outcome)
        return None
    except Exception as error:
        _raise_what_passes(error)
        if isinstance(error, DomainFailed):
            run.resettle(_ending_for(run, error.error))
            return finish_one(run, now=now)
        return _finish_refused(run, error, now=now)


def _finish_refused(run: Run, error: Exception, *, now: datetime | None) -> Status:
    cause = error.error if isinstance(error, HookFailed) else error
    instrument.worker_error("finish", cause)
    run.resettle(endings.failed(failure_of(cause), again_in=run.backoff()))
    try:
        return finish(run.job, _settled(run), now=now)
    except LeaseLost:
        instrument.late(run.job, _settled(run).outcome)
    except Exception as again:
        _raise_what_passes(again)
        instrument.worker_error("finish", again)
        put_off_finish(run.job, now=now)
    return None


def commit_or_put_off(run: Run, write: Callable[[], None]) -> bool:
    """Call ``write``, which ends one run in a transaction of its own; False when even its failure cannot be written.

    Some constraints are looked at only when the database commits. One that is violated fails the attempt.
    """
    for _ in range(2):
        try:
            write()
            return True
        except DATABASE_AWAY:
            raise
        except Exception as error:
            instrument.worker_error("commit", error)
            run.resettle(endings.failed(failure_of(error), again_in=run.backoff()))
    with gate.hold():
        put_off_finish(run.job)
    return False


def _raise_what_passes(error: Exception) -> None:
    """Raise the database's own error when the whole transaction is to be repeated, wherever in it that struck."""
    cause = error.error if isinstance(error, (HookFailed, DomainFailed)) else error
    if isinstance(error, DATABASE_AWAY) or passes(cause):
        raise cause


def _ending_for(run: Run, error: BaseException) -> endings.Ending:
    if isinstance(error, _DeadlinePassed):
        return endings.timed_out(again_in=run.backoff())
    return ending_of_error(run, error) or endings.failed(failure_of(error), again_in=run.backoff())


def _within_deadline(run: Run) -> Callable[[], None] | None:
    """The handler's finish, which counts as the handler's time: past the deadline nothing of it is committed."""
    domain = run.domain
    if domain is None:
        return None

    def checked() -> None:
        domain()
        if run.seconds_left(moment()) <= 0:
            raise _DeadlinePassed

    return checked


def _settled(run: Run) -> endings.Ending:
    assert run.ending is not None, "Only a settled run is finished."
    return run.ending
