"""One queue writer of this process at a time, in the order in which they came, the heartbeat ahead of the rest.

SQLite has one write lock and no queue for it: a waiter naps, and a writer that comes back at once overtakes it for
seconds. PostgreSQL locks rows, so there the gate stands open.
"""

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from jobs import sql


def lock_wait(lease_seconds: float) -> float:
    """How long whoever holds the gate may wait for the database: the heartbeat behind it must still come in time."""
    return min(lease_seconds / 6, 5.0)


class WriteGate:
    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._held = False
        self._since: float | None = None
        self._waiting: deque[threading.Event] = deque()

    @contextmanager
    def hold(self, *, first: bool = False, wait: float | None = None) -> Iterator[None]:
        """Hold the gate; ``first`` goes ahead of everyone who waits. Not re-entrant.

        Raises ``TimeoutError`` when it is not ours within ``wait`` seconds (default: for as long as it takes).
        """
        if not sql.is_sqlite():
            yield
            return
        self._enter(first, wait)
        try:
            yield
        finally:
            self._leave()

    def busy_seconds(self) -> float:
        """For how long the same one has held it."""
        since = self._since
        return 0.0 if since is None else time.monotonic() - since

    def _enter(self, first: bool, wait: float | None) -> None:
        with self._mutex:
            if not self._held:
                self._held = True
                self._since = time.monotonic()
                return
            turn = threading.Event()
            if first:
                self._waiting.appendleft(turn)
            else:
                self._waiting.append(turn)
        if turn.wait(wait):
            return
        with self._mutex:
            if turn in self._waiting:
                self._waiting.remove(turn)
                raise TimeoutError(f"Another writer of this process has not let go for {wait:g} s.")

    def _leave(self) -> None:
        with self._mutex:
            if self._waiting:
                self._since = time.monotonic()
                self._waiting.popleft().set()  # Handed over, still held: nobody can slip in between.
            else:
                self._held = False
                self._since = None


gate = WriteGate()
