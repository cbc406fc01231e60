"""Jobs as they happen, for whoever watches: one reader a process, however many viewers.

The **reader** is a thread with a connection of its own. While there are viewers it looks for news, reads them once for
all viewers who stand at the same place, and puts one page into each one's hands. The **hub** holds the viewers of this
process. A **viewer** is one open stream on an event loop: it holds no connection, no transaction and no thread, and at
most one page in memory; where it stands is the number of the last event it was given, so nothing is lost on the way.
"""

import asyncio
import signal
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import suppress
from typing import Any

from jobs import sql
from jobs.api.frames import JSON_FRAMES, PING, Frames
from jobs.models import Job
from jobs.runtime.loops import Loop, drop_connection
from jobs.stream_pages import STAMP, Page, Stamp, page_after, stamp_of

PING_SECONDS = 15.0
# How often the reader looks: on SQLite at a number that costs 5 µs, elsewhere at the rows themselves.
SQLITE_POLL_SECONDS = 0.05
POLL_SECONDS = 0.25
ACCESS_SECONDS = 60.0
# Questions about access that may delay the news of one turn.
ASKED_AT_MOST = 10
# A viewer whose page has waited as long as this does not read; its client reconnects and goes on where it was.
SLOW_SECONDS = 30.0
LOCK_WAIT_SECONDS = 1.0


class Viewer:
    """One stream: iterate it for its frames, until the job has ended and all is said, or until somebody ends it.

    The reader's thread delivers and ends, the event loop takes; no lock is needed for one page. ``may_still_see`` is
    asked every 60 s, in the reader's thread.
    """

    def __init__(
        self, job_id: str, *, after: int, may_still_see: Callable[[], bool], frames: Frames = JSON_FRAMES
    ) -> None:
        self.job_id = job_id
        self.frames = frames
        self.position = after
        self.shown: Stamp | None = None
        self.may_still_see = may_still_see
        self.ask_at = time.monotonic() + ACCESS_SECONDS
        self.over = False
        # Set by the reader before it looks whether there is room: whoever takes the page then asks for the next one.
        self.waits_for_room = False
        self._had_last = False
        self._page: Page | None = None
        self._filled_at = 0.0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._arrived = asyncio.Event()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        self._loop = asyncio.get_running_loop()
        hub.join(self)
        try:
            while not self.over:
                page = await self._take()
                if page is not None:
                    yield page.text
                    if page.last:
                        return
                elif not self.over:
                    yield PING
        finally:
            hub.leave(self)

    def close(self) -> None:
        """Leave for certain: an iterator that is merely dropped is closed only when its garbage is collected."""
        hub.leave(self)

    @property
    def has_room(self) -> bool:
        return self._page is None and not self._had_last and not self.over

    @property
    def is_slow(self) -> bool:
        return self._page is not None and time.monotonic() - self._filled_at > SLOW_SECONDS

    def deliver(self, page: Page) -> None:
        self.position, self.shown, self._had_last = page.position, page.shown, page.last
        self._filled_at = time.monotonic()
        self._page = page
        self._stir()

    def end(self) -> None:
        """End the stream now, and give it nothing more."""
        self.over = True
        self._page = None
        self._stir()

    def _stir(self) -> None:
        assert self._loop is not None  # It has joined.
        with suppress(RuntimeError):  # Its loop is gone, and it with it.
            self._loop.call_soon_threadsafe(self._arrived.set)

    async def _take(self) -> Page | None:
        """The next page; None when there was none for as long as a ping waits, or when the stream is over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(PING_SECONDS):
                while self._page is None and not self.over:
                    await self._arrived.wait()
                    self._arrived.clear()
        page = self._page
        if page is not None:
            self._page = None
            if page.more or self.waits_for_room:
                hub.stirred.set()
        return page


class Hub:
    """The viewers of this process. The first one starts the reader; without viewers it waits and looks at nothing."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._viewers: set[Viewer] = set()
        self._reader: Loop | None = None
        # Set when the reader should look at once: a viewer came or went, or has room again.
        self.stirred = threading.Event()

    def join(self, viewer: Viewer) -> None:
        with self._mutex:
            self._viewers.add(viewer)
            if self._reader is None:
                self._reader = Loop("stream-reader", Reader(self).turn, lock_wait=LOCK_WAIT_SECONDS)
                self._reader.start()
        self.stirred.set()

    def leave(self, viewer: Viewer) -> None:
        with self._mutex:
            self._viewers.discard(viewer)
            nobody_left = not self._viewers
        if nobody_left:
            self.stirred.set()

    def viewers(self) -> list[Viewer]:
        with self._mutex:
            return [viewer for viewer in self._viewers if not viewer.over]


class Reader:
    """Turn by turn: what is new, and for whom."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._jobs: dict[str, Job] = {}
        self._version: int | None = None

    def turn(self) -> None:
        stirred = self._hub.stirred.is_set()
        self._hub.stirred.clear()  # Before the viewers are read: one who comes now is seen, or stirs again.
        viewers = self._hub.viewers()
        if not viewers:
            self._rest()
            return
        self._turn_out(viewers)
        version = sql.data_version() if sql.is_sqlite() else None
        if stirred or version is None or version != self._version:
            self._version = None  # Until this look has succeeded.
            self._serve(viewers)
            self._version = version
        self._hub.stirred.wait(POLL_SECONDS if version is None else SQLITE_POLL_SECONDS)

    def _rest(self) -> None:
        """Nobody watches: hold no connection, and wait for somebody."""
        drop_connection()
        self._jobs, self._version = {}, None
        self._hub.stirred.wait()

    def _turn_out(self, viewers: Iterable[Viewer]) -> None:
        """End the streams of those who do not read, of those who may not see the job any more, of all at the end."""
        stopping, now = server_is_stopping(), time.monotonic()
        for viewer in viewers:
            if stopping or viewer.is_slow:
                viewer.end()
        for viewer in [viewer for viewer in viewers if viewer.ask_at <= now][:ASKED_AT_MOST]:
            viewer.ask_at = now + ACCESS_SECONDS
            if not viewer.may_still_see():
                viewer.end()

    def _serve(self, viewers: Iterable[Viewer]) -> None:
        """Give every viewer what is new for it. Those who stand at the same place share one page."""
        self._refresh({viewer.job_id for viewer in viewers})
        pages: dict[tuple[Any, ...], Page] = {}
        for viewer in viewers:
            job = self._jobs.get(viewer.job_id)
            viewer.waits_for_room = True
            if job is None:
                viewer.end()
            elif viewer.has_room:
                viewer.waits_for_room = False
                place = (viewer.job_id, viewer.position, viewer.shown, viewer.frames)
                if place not in pages:
                    pages[place] = page_after(job, position=viewer.position, shown=viewer.shown, frames=viewer.frames)
                if pages[place].text:
                    viewer.deliver(pages[place])

    def _refresh(self, ids: set[str]) -> None:
        """Bring ``_jobs`` up to date: the small columns of all, the whole rows of those that changed."""
        seen = Job.objects.filter(pk__in=ids).values_list("pk", "event_seq", *STAMP)
        marks = {pk: tuple(mark) for pk, *mark in seen}
        known = {pk: job for pk, job in self._jobs.items() if marks.get(pk) == (job.event_seq, *stamp_of(job))}
        changed = Job.objects.filter(pk__in=marks.keys() - known.keys()).defer("payload")
        self._jobs = known | {job.pk: job for job in changed}


def server_is_stopping() -> bool:
    """Whether uvicorn was told to stop: it waits for open streams, and tells nobody. Its handler is a bound method."""
    server = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    return getattr(server, "should_exit", False) is True


hub = Hub()
