"""Every log line of the runtime, in one place: ids, kinds, epochs and error classes, never payloads or outputs."""

import logging
from typing import TYPE_CHECKING, Any

import structlog

from jobs.errors import message_of

if TYPE_CHECKING:
    from jobs.claimed import ClaimedJob
    from jobs.endings import Ending
    from jobs.resources import Change, HookFailed

log = structlog.get_logger("jobs")


def warnings_only() -> None:
    """Leave out the two lines that every job writes; call it before the first line."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))


def _who(job: "ClaimedJob") -> dict[str, Any]:
    return {"job_id": job.id, "kind": job.kind, "epoch": job.epoch, "owner": job.owner_user_id}


def started(job: "ClaimedJob") -> None:
    log.info("background.job.started", **_who(job), attempt=job.attempt)


def ended(job: "ClaimedJob", ending: "Ending", status: str) -> None:
    """One line for one attempt's end, after its commit."""
    if status == "succeeded":
        log.info("background.job.completed", **_who(job))
    elif status == "cancelled":
        log.info("background.job.cancelled", **_who(job))
    elif ending.failure is not None:
        final = status == "failed"
        log.warning("background.job.failed", **_who(job), final=final, error_class=ending.failure.error_class)
    else:
        log.info("background.job.returned", **_who(job), outcome=ending.outcome)


def late(job: "ClaimedJob", outcome: str) -> None:
    """An attempt that was over came back with something; it changed nothing."""
    log.warning("background.job.late_result", **_who(job), outcome=outcome)


def lease_lost(job: "ClaimedJob", why: str) -> None:
    log.warning("background.job.lease_lost", **_who(job), why=why)


def reclaimed(change: "Change") -> None:
    log.warning(
        "background.job.reclaimed",
        job_id=change.job_id,
        epoch=change.epoch,
        owner=change.owner_user_id,
        status=change.to_status,
    )


def hook_failed(job_id: str, failed: "HookFailed") -> None:
    log.error(
        "background.worker.error",
        at="hook",
        job_id=job_id,
        resource_type=failed.resource_type,
        error_class=type(failed.error).__name__,
        error=message_of(failed.error),
    )


def worker_error(at: str, error: BaseException) -> None:
    log.error("background.worker.error", at=at, error_class=type(error).__name__, error=message_of(error))


def worker(event: str, **facts: Any) -> None:
    log.info(f"background.worker.{event}", **facts)
