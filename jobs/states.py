"""The statuses of a job and of an attempt, and the edges between them. Pure: no database, no clock.

``docs/state-machine.md`` draws this; ``jobs.transitions`` and ``jobs.claim`` are the only code that walks an edge.
"""

from typing import Final

QUEUED: Final = "queued"
RUNNING: Final = "running"
SUCCEEDED: Final = "succeeded"
FAILED: Final = "failed"
CANCELLED: Final = "cancelled"

STATUSES: Final = (QUEUED, RUNNING, SUCCEEDED, FAILED, CANCELLED)
ACTIVE: Final = frozenset({QUEUED, RUNNING})
TERMINAL: Final = frozenset({SUCCEEDED, FAILED, CANCELLED})

# What each status may become. A terminal status becomes nothing: a retry by hand is a new job.
EDGES: Final[dict[str, frozenset[str]]] = {
    QUEUED: frozenset({RUNNING, CANCELLED}),
    RUNNING: frozenset({QUEUED, SUCCEEDED, FAILED, CANCELLED}),
    SUCCEEDED: frozenset(),
    FAILED: frozenset(),
    CANCELLED: frozenset(),
}


class Outcome:
    """How an attempt ended; an open attempt has none."""

    SUCCEEDED: Final = "succeeded"
    FAILED: Final = "failed"
    TIMED_OUT: Final = "timed_out"
    CANCELLED: Final = "cancelled"
    LOST: Final = "lost"
    RELEASED: Final = "released"
    SNOOZED: Final = "snoozed"

    ALL: Final = (SUCCEEDED, FAILED, TIMED_OUT, CANCELLED, LOST, RELEASED, SNOOZED)
    # These give the attempt back: the job was returned unharmed, so its budget is whole.
    NOT_CHARGED: Final = frozenset({RELEASED, SNOOZED})
