"""When the store looks for work: another connection has committed, a job is due, or it is simply time to poll.

A hint may be missed; the poll never is.
"""

import time

from jobs import claim, sql
from jobs.claim import Serves

# The look itself costs little; waking up for it is most of the cost of an idle worker (goal: 0.7 % of a core).
DATA_VERSION_SECONDS = 0.03
# A job that is due by this host's clock may not yet be by the database's.
LEAST_WAIT_SECONDS = 0.005


class Lookout:
    """Belongs to the store's thread: SQLite's ``data_version`` counts the commits of all connections but one's own."""

    def __init__(self, *, serves: Serves, poll_seconds: float) -> None:
        self._serves = serves
        self._poll_seconds = poll_seconds
        self._on_sqlite = sql.is_sqlite()
        self._version = 0
        self._next_look = 0.0

    def seconds_to_sleep(self) -> float:
        until_look = max(0.0, self._next_look - time.monotonic())
        return min(DATA_VERSION_SECONDS, until_look) if self._on_sqlite else until_look

    def committed_elsewhere(self) -> bool:
        """Whether another connection has committed since the last call (PostgreSQL: never known)."""
        if not self._on_sqlite or (version := sql.data_version()) == self._version:
            return False
        self._version = version
        return True

    def time_to_look(self) -> bool:
        if time.monotonic() < self._next_look:
            return False
        self._next_look = time.monotonic() + self._poll_seconds
        return True

    def sees_work(self) -> bool:
        """A look without a lock: an idle worker costs the others nothing. In vain, it sets when to look again."""
        now, due = sql.current_time(None), claim.next_due()
        if claim.ready_kinds(self._serves) or (due is not None and due <= now):
            return True
        wait = self._poll_seconds if due is None else min(self._poll_seconds, (due - now).total_seconds())
        self._next_look = time.monotonic() + max(wait, LEAST_WAIT_SECONDS)
        return False
