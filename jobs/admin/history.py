"""A job's attempts and its last events as tables; each is bounded, however long the job's history."""

from typing import Any

from jobs import events
from jobs.admin.display import NOTHING, fold, json_cell, length, short_id, when
from jobs.masking import mask_text
from jobs.models import Job, JobAttempt, JobEvent

LAST = 100


def attempts_table(job: Job) -> dict[str, Any]:
    rows = list(JobAttempt.objects.filter(job_id=job.pk).order_by("-epoch")[: LAST + 1])
    headers = ["Attempt", "Outcome", "Started", "Took", "Worker", "Error"]
    return _table("Attempts", headers, [_attempt(row) for row in rows[:LAST]][::-1], more=len(rows) > LAST)


def events_table(job: Job) -> dict[str, Any]:
    rows = list(events.read(job.pk).order_by("-sequence")[: LAST + 1])
    headers = ["#", "Type", "When", "Epoch", "Payload"]
    return _table("Events", headers, [_event(row) for row in rows[:LAST]][::-1], more=len(rows) > LAST)


def _table(title: str, headers: list[str], rows: list[list[Any]], *, more: bool) -> dict[str, Any]:
    return {"title": f"{title}: the last {LAST}" if more else title, "headers": headers, "rows": rows}


def _attempt(row: JobAttempt) -> list[Any]:
    error = f"{row.error_class}: {row.error_message}" if row.error_class else ""
    return [
        f"{row.number} (epoch {row.epoch})",
        row.outcome or "running",
        when(row.started_at),
        length(row.ended_at - row.started_at) if row.ended_at else NOTHING,
        short_id(row.worker),
        # Masked when it was stored, and once more: the secrets of today may not have been ours then.
        fold(mask_text(error), mask_text(row.traceback)),
    ]


def _event(row: JobEvent) -> list[Any]:
    return [str(row.sequence), row.type, when(row.created_at), str(row.epoch), json_cell(row.payload)]
