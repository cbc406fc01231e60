"""All hot SQL text and the one seam between databases.

Selections are compiled once from the querysets of ``jobs.querysets``; the guarded UPDATEs are written by hand, for
RETURNING and for speed (a queryset costs half a millisecond to build, its text run on Django's connection 45 µs).
Statuses stand in the text as literals, so that the partial indexes fit whatever ANALYZE last saw.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

from django.db import connection
from django.utils import timezone

from jobs.querysets import CLAIM_ORDER
from jobs.states import QUEUED

# --- The dialect seam -----------------------------------------------------------------------------------------------


def is_sqlite() -> bool:
    return connection.vendor == "sqlite"


def current_time(now: datetime | None) -> datetime:
    """The time of this transaction: ``now`` where a caller turns the clock, else the database's own clock.

    On PostgreSQL workers on several hosts must not trust their own clocks; SQLite has one host, so Python's is the
    same one, and keeps the six decimals that the rows have.
    """
    if now is not None:
        return now
    if is_sqlite():
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        read: datetime = cursor.fetchone()[0]
    return read


def stamp(moment: datetime | None) -> Any:
    """A datetime as a parameter of raw SQL, in the form in which Django stores it."""
    return connection.ops.adapt_datetimefield_value(moment)


def data_version() -> int:
    """SQLite: a number that changes when another connection commits (about 5 µs, no lock)."""
    connection.ensure_connection()
    version: int = connection.connection.execute("PRAGMA data_version").fetchone()[0]
    return version


def shorten_lock_wait(seconds: float) -> None:
    """Let this connection wait at most ``seconds`` for a lock, so that a busy writer cannot outlast a lease."""
    milliseconds = int(seconds * 1000)
    with connection.cursor() as cursor:
        if is_sqlite():
            cursor.execute(f"PRAGMA busy_timeout = {milliseconds}")
        else:
            cursor.execute(f"SET lock_timeout = {milliseconds}")


@contextmanager
def short_lock_wait(seconds: float) -> Iterator[None]:
    """SQLite: ``shorten_lock_wait`` for a handler's own connection, and back; PostgreSQL waits for one row only."""
    if not is_sqlite():
        yield
        return
    shorten_lock_wait(seconds)
    try:
        yield
    finally:
        shorten_lock_wait(connection.settings_dict["OPTIONS"].get("timeout", 5))


# --- The claim ------------------------------------------------------------------------------------------------------

# A loose index scan: one look-up per distinct ready kind, however many jobs wait.
READY_KINDS: Final = """
WITH RECURSIVE kinds(kind) AS (
    SELECT min(kind) FROM jobs_job WHERE status = 'queued' AND fair_tag IS NOT NULL
    UNION ALL
    SELECT (SELECT min(kind) FROM jobs_job
            WHERE status = 'queued' AND fair_tag IS NOT NULL AND kind > kinds.kind)
    FROM kinds WHERE kinds.kind IS NOT NULL
)
SELECT kind FROM kinds WHERE kind IS NOT NULL
"""

_KIND: Final = "\ue000kind"  # Stands for the parameter while a selection is compiled.


def _text(queryset: Any) -> str:
    """The queryset's SQL with ``%s`` for the kind and everything else, which is ours and constant, as a literal."""
    text, parameters = queryset.query.sql_with_params()
    literals = tuple("%s" if value == _KIND else f"'{value}'" for value in parameters)
    return text % literals


@lru_cache(maxsize=256)
def ready_heads(limit: int, vendor: str) -> str:
    """The first ``limit`` ready jobs of one kind, locked where the database locks rows: id, kind, then the order."""
    from jobs.models import Job

    heads = Job.objects.ready().filter(kind=_KIND).order_by(*CLAIM_ORDER).select_for_update(skip_locked=True)
    return _text(heads.values_list("id", "kind", "priority", "fair_tag", "available_at", "created_at")[:limit])


NEXT_DUE: Final = "SELECT min(available_at) FROM jobs_job WHERE status = 'queued' AND fair_tag IS NULL"

NEXT_EXPIRY: Final = "SELECT min(lease_expires_at) FROM jobs_job WHERE status = 'running'"

_DUE: Final = """
    SELECT id FROM jobs_job WHERE status = 'queued' AND fair_tag IS NULL AND available_at <= %(now)s
    ORDER BY available_at LIMIT %(limit)s"""
# Delayed jobs that are due become ready, the longest due first. PostgreSQL may run a sub-select after IN once per outer
# row, and with SKIP LOCKED each run finds further rows; an array is made once. It is looked up by the key alone: a
# second condition, or a join, would tempt the planner to read every delayed job, or every job.
PROMOTE: Final[dict[str, str]] = {
    "sqlite": f"UPDATE jobs_job SET fair_tag = 0 WHERE id IN ({_DUE})",
    "postgresql": f"UPDATE jobs_job SET fair_tag = 0 WHERE id = ANY(ARRAY({_DUE} FOR UPDATE SKIP LOCKED))",
}


def marks(values: Sequence[Any]) -> str:
    return ", ".join(["%s"] * len(values))


CLAIMED_COLUMNS: Final = (
    "id, epoch, attempt, max_attempts, owner_user_id, kind, resource_type, resource_id, "
    "payload, timeout_seconds, event_seq"
)


def take(ids: Sequence[str]) -> str:
    """Rows that this transaction has just chosen and locked. No word of ``fair_tag`` in the guard: before its first
    ANALYZE, PostgreSQL would rather read the whole index of ready jobs than look up these few by their key."""
    return f"""
UPDATE jobs_job SET status = 'running', epoch = epoch + 1, attempt = attempt + 1, fair_tag = NULL,
    lease_owner = %s, lease_expires_at = %s, started_at = COALESCE(started_at, %s), updated_at = %s
WHERE id IN ({marks(ids)}) AND status = 'queued'
RETURNING {CLAIMED_COLUMNS}
"""


HELD_BY: Final = f"SELECT {CLAIMED_COLUMNS} FROM jobs_job WHERE status = 'running' AND lease_owner = %s"

OPEN_ATTEMPT: Final = """
INSERT INTO jobs_jobattempt (job_id, epoch, number, worker, started_at, error_class, error_message, traceback)
VALUES (%s, %s, %s, %s, %s, '', '', '')
"""

PUT_OFF_CLAIM: Final = """
UPDATE jobs_job SET available_at = %(until)s, fair_tag = NULL, error_message = %(error)s, updated_at = %(now)s
WHERE id = %(id)s AND status = 'queued'
"""

# --- The edges that leave running -----------------------------------------------------------------------------------

_MINE: Final = "id = %(id)s AND epoch = %(epoch)s AND lease_owner = %(worker)s AND status = 'running'"
_WITHOUT_LEASE: Final = "lease_owner = NULL, lease_expires_at = NULL, updated_at = %(now)s"

SUCCEED: Final = f"""
UPDATE jobs_job SET status = 'succeeded', completed_at = %(now)s, result = %(result)s, error_message = '',
    {_WITHOUT_LEASE}
WHERE {_MINE} AND cancel_requested_at IS NULL
"""
RETRY_LATER: Final = f"""
UPDATE jobs_job SET status = 'queued', available_at = %(available_at)s, fair_tag = NULL, error_message = %(error)s,
    {_WITHOUT_LEASE}
WHERE {_MINE} AND cancel_requested_at IS NULL AND attempt < max_attempts
"""
FAIL: Final = f"""
UPDATE jobs_job SET status = 'failed', completed_at = %(now)s, error_message = %(error)s,
    {_WITHOUT_LEASE}
WHERE {_MINE}
"""
ACKNOWLEDGE_CANCEL: Final = f"""
UPDATE jobs_job SET status = 'cancelled', completed_at = %(now)s,
    {_WITHOUT_LEASE}
WHERE {_MINE}
"""
RELEASE: Final = f"""
UPDATE jobs_job SET status = 'queued', attempt = attempt - 1, available_at = %(now)s, fair_tag = 0,
    {_WITHOUT_LEASE}
WHERE {_MINE} AND cancel_requested_at IS NULL
"""
SNOOZE: Final = f"""
UPDATE jobs_job SET status = 'queued', attempt = attempt - 1, available_at = %(available_at)s, fair_tag = NULL,
    {_WITHOUT_LEASE}
WHERE {_MINE} AND cancel_requested_at IS NULL
"""
CLOSE_ATTEMPT: Final = """
UPDATE jobs_jobattempt SET ended_at = %(now)s, outcome = %(outcome)s,
    error_class = %(error_class)s, error_message = %(error)s, traceback = %(traceback)s
WHERE job_id = %(id)s AND epoch = %(epoch)s AND outcome IS NULL
"""
# A hook that fails twice: the job stays running, and the reclaim tries again later.
PUT_OFF_FINISH: Final = f"UPDATE jobs_job SET lease_expires_at = %(until)s WHERE {_MINE}"

# --- Renewal, fence, events -----------------------------------------------------------------------------------------


def renew(ids: Sequence[str]) -> str:
    """Extends leases of rows that the same transaction has just seen to be ours, epoch by epoch."""
    return f"""
UPDATE jobs_job SET lease_expires_at = %s WHERE id IN ({marks(ids)}) AND status = 'running' AND lease_owner = %s
"""


FENCE: Final = f"UPDATE jobs_job SET event_seq = event_seq WHERE {_MINE}"
APPEND_EVENTS: Final = f"""
UPDATE jobs_job SET event_seq = event_seq + %(count)s WHERE {_MINE} AND event_seq = %(known)s
"""
SET_PROGRESS: Final = f"""
UPDATE jobs_job SET progress = %(progress)s, progress_message = %(message)s, updated_at = %(now)s WHERE {_MINE}
"""
INSERT_EVENT: Final = """
INSERT INTO jobs_jobevent (job_id, sequence, epoch, type, payload, created_at) VALUES (%s, %s, %s, %s, %s, %s)
"""

# --- Enqueue --------------------------------------------------------------------------------------------------------

_INSERT_COLUMNS: Final = (
    "id", "owner_user_id", "kind", "resource_type", "resource_id", "status", "attempt", "max_attempts",
    "timeout_seconds", "priority", "available_at", "retry_of_job_id", "error_message", "progress", "progress_message",
    "created_at", "updated_at", "payload", "epoch", "event_seq", "fair_tag",
)  # fmt: skip
INSERT_JOB: Final = f"""
INSERT INTO jobs_job ({", ".join(_INSERT_COLUMNS)})
VALUES (%(id)s, %(owner)s, %(kind)s, %(resource_type)s, %(resource_id)s, '{QUEUED}', 0, %(max_attempts)s,
    %(timeout_seconds)s, %(priority)s, %(available_at)s, %(retry_of)s, '', 0, '',
    %(now)s, %(now)s, %(payload)s, 0, 0, %(fair_tag)s)
ON CONFLICT DO NOTHING
"""
