"""The thread for jobs that have writes of their own at the finish: each alone, so that none holds up fifty others."""

import queue
import time
from collections.abc import Callable
from functools import partial

from django.db import transaction

from jobs import instrument
from jobs.runtime.finishing import commit_or_put_off, finish_one, send
from jobs.runtime.gate import gate
from jobs.runtime.held import Held
from jobs.runtime.loops import Loop
from jobs.runtime.run import Run


class Finisher:
    def __init__(self, *, held: Held, lock_wait: float, on_finished: Callable[[], None]) -> None:
        self._held = held
        self._on_finished = on_finished
        self._waiting: queue.SimpleQueue[Run | None] = queue.SimpleQueue()
        self._current: Run | None = None
        self._since: float | None = None
        self._loop = Loop("finisher", self._turn, lock_wait=lock_wait)

    def start(self) -> None:
        self._loop.start()

    def stop(self, *, wait: float) -> None:
        self._loop.stop(wait=0)
        self._waiting.put(None)
        self._loop.stop(wait=wait)

    def settled(self, run: Run) -> None:
        self._waiting.put(run)

    def busy_seconds(self) -> float:
        """How long the present try to finish a run has taken."""
        since = self._since
        return 0.0 if since is None else time.monotonic() - since

    def _turn(self) -> None:
        if self._current is None:
            self._current = self._waiting.get()
            if self._current is None:  # Told to stop.
                return
        self._since = time.monotonic()
        try:  # After a database error it is still the current one, and is tried again.
            if not commit_or_put_off(self._current, partial(self._finish, self._current)):
                self._held.remove(self._current)
        finally:
            self._since = None
        self._current = None

    def _finish(self, run: Run) -> None:
        with run.said.writing, gate.hold():
            with transaction.atomic(durable=True):
                send(run)
                status = finish_one(run)
            run.said.written()
        self._held.remove(run)
        if status is not None and run.ending is not None:
            instrument.ended(run.job, run.ending, status)
        self._on_finished()
