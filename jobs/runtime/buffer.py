"""What a handler has said and the database does not have yet: events in order, and the last word on progress."""

import threading
from datetime import datetime
from typing import NamedTuple

from jobs import events
from jobs.claimed import ClaimedJob
from jobs.events import Event, Progress
from jobs.handlers import PermanentError

MAX_EVENTS = 10_000


class _OnTheWay(NamedTuple):
    events: int
    progress: Progress | None
    known: int


class EventBuffer:
    """Adding never waits for the database. A write is: ``writing`` acquired, ``write`` in a transaction, ``written``
    after its commit, ``writing`` released; until ``written`` is called everything is kept and would be sent again."""

    def __init__(self, job: ClaimedJob) -> None:
        # Held from the first statement of a write until after its commit, so that no event overtakes another.
        self.writing = threading.Lock()
        self._mutex = threading.Lock()
        self._job = job
        self._events: list[Event] = []
        self._progress: Progress | None = None
        self._known = job.event_seq
        self._on_the_way: _OnTheWay | None = None

    def __len__(self) -> int:
        return len(self._events)

    @property
    def empty(self) -> bool:
        return not self._events and self._progress is None

    def add(self, event: Event) -> None:
        with self._mutex:
            if len(self._events) >= MAX_EVENTS:
                raise PermanentError(f"{MAX_EVENTS} events wait for the database; no more are taken.")
            self._events.append(event)

    def set_progress(self, progress: Progress) -> None:
        with self._mutex:
            self._progress = progress

    def write(self, *, now: datetime | None = None) -> None:
        """Inside a transaction: send what is there. Raises ``LeaseLost``."""
        with self._mutex:
            sent, progress = list(self._events), self._progress
        known = self._known
        if sent or progress is not None:
            known = events.append(self._job, sent, known=known, progress=progress, now=now)
        self._on_the_way = _OnTheWay(len(sent), progress, known)

    def written(self) -> None:
        """The transaction of the last ``write`` stands."""
        sent = self._on_the_way
        if sent is None:
            return
        with self._mutex:
            del self._events[: sent.events]
            if self._progress is sent.progress:
                self._progress = None
            self._known, self._on_the_way = sent.known, None

    def forget_after(self, count: int) -> None:
        """Drop what was said after the first ``count`` events: the transaction that they belonged to is undone."""
        with self._mutex:
            del self._events[count:]
            self._on_the_way = None
