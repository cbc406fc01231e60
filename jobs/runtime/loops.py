"""A thread that lives as long as its worker: whatever goes wrong in a turn, it says so, waits a little and goes on."""

import random
import threading
from collections.abc import Callable

from django.db import connection

from jobs import instrument, sql


def drop_connection() -> None:
    """Forget this thread's connection, in whatever state it is; the next statement makes a new one."""
    try:
        connection.close()
    except Exception:
        connection.connection = None
    connection.needs_rollback = False


class Loop:
    """Calls ``turn`` again and again in a thread of its own until ``stop``."""

    def __init__(self, name: str, turn: Callable[[], None], *, lock_wait: float, longest_pause: float = 5.0) -> None:
        self._name = name
        self._turn = turn
        self._lock_wait = lock_wait
        self._longest_pause = longest_pause
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._work, name=f"job-{name}", daemon=True)
        self.failures = 0

    def start(self) -> None:
        self._thread.start()

    def stop(self, *, wait: float) -> None:
        self._stopping.set()
        self._thread.join(wait)

    @property
    def stopping(self) -> bool:
        return self._stopping.is_set()

    def _work(self) -> None:
        while not self._stopping.is_set():
            try:
                if connection.connection is None:
                    sql.shorten_lock_wait(self._lock_wait)
                self._turn()
                self.failures = 0
            except BaseException as error:  # Code of a domain runs here too, and that may call sys.exit().
                self.failures += 1
                instrument.worker_error(self._name, error)
                drop_connection()
                self._stopping.wait(self._pause())
        drop_connection()

    def _pause(self) -> float:
        """Seconds before the next try: 0.05, 0.1, 0.2 …, half by chance, so that workers do not march in step."""
        longest = min(self._longest_pause, 0.05 * 2 ** min(self.failures - 1, 7))
        return longest * random.uniform(0.5, 1)
