"""One large file at a time in a process, so that a worker's memory does not grow with its concurrency."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from jobs.handlers import Snooze

# Indexing takes about ten bytes of memory for each of the file's: a few files of this size do no harm together.
LARGE_BYTES = 2 * 1024 * 1024
AGAIN_IN_SECONDS = 30

_busy = threading.Lock()


@contextmanager
def one_at_a_time(size_bytes: int) -> Iterator[None]:
    """Hold the place for a large file; a small one needs none.

    Raises ``Snooze`` while another large file is being indexed here: the slot is free for other work meanwhile.
    """
    if size_bytes < LARGE_BYTES:
        yield
        return
    if not _busy.acquire(blocking=False):
        raise Snooze(AGAIN_IN_SECONDS)
    try:
        yield
    finally:
        _busy.release()
