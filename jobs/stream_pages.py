"""What one viewer of a job is to see next: a page of frames, as large as one may hold in memory."""

from typing import Any, NamedTuple

from jobs import events
from jobs.api.frames import JSON_FRAMES, Frames
from jobs.models import Job
from jobs.states import TERMINAL

# One event may be 256 KB.
PAGE_EVENTS = 200
PAGE_BYTES = 1024 * 1024
# Every change of the job's public columns moves one of these.
STAMP = ("status", "attempt", "cancel_requested_at", "progress", "updated_at")

Stamp = tuple[Any, ...]


class Page(NamedTuple):
    """Frames, and where the viewer stands after them: the last event's number, and the state of the job it was shown.

    ``more``: there is more to read already. ``last``: nothing comes after this page.
    """

    text: bytes
    position: int
    shown: Stamp | None
    more: bool = False
    last: bool = False


def stamp_of(job: Job) -> Stamp:
    return tuple(getattr(job, name) for name in STAMP)


def page_after(job: Job, *, position: int, shown: Stamp | None, frames: Frames = JSON_FRAMES) -> Page:
    """The page for a viewer that stands at ``position`` and was shown the job as ``shown``; it may be empty.

    The news that the job has ended is the last frame of all: it waits until every event was given.
    """
    said, more = _events_after(job, position, frames)
    position = said[-1][0] if said else position
    text = b"".join(frame for _, frame in said)
    stamp = stamp_of(job)
    if job.status not in TERMINAL:
        return Page(text if stamp == shown else frames.of_job(job) + text, position, stamp, more=more)
    if more:
        return Page(text, position, shown, more=True)
    return Page(text + frames.of_job(job), position, stamp, last=True)


def _events_after(job: Job, position: int, frames: Frames) -> tuple[list[tuple[int, bytes]], bool]:
    """Sequence numbers and frames of one page, and whether there are more events after it."""
    if position >= job.event_seq:
        return [], False
    found: list[tuple[int, bytes]] = []
    size = 0
    for event in events.read(job.pk, after=position)[: PAGE_EVENTS + 1]:
        if len(found) == PAGE_EVENTS or size >= PAGE_BYTES:
            return found, True
        found.append((event.sequence, frames.of_event(event)))
        size += len(found[-1][1])
    return found, False
