"""What a test of a fault asks at its end: does the worker still do other jobs, by each of its ways?"""

from collections.abc import Callable
from typing import Any

from django.utils import timezone

from jobs.enqueue import enqueue
from jobs.handlers import JobContext
from jobs.models import JobEvent
from tests.jobs.runtime.waiting import ended

Handle = Callable[..., Any]


def dangling_row() -> None:
    """A row whose foreign key points nowhere: the database notices at the commit."""
    JobEvent.objects.create(job_id="job_nobody", sequence=1, epoch=1, type="x", created_at=timezone.now())


def still_works(handle: Handle) -> None:
    @handle("loop-after")
    async def loop_after(context: JobContext) -> str:
        return "ok"

    @handle("thread-after")
    def thread_after(context: JobContext) -> str:
        return "ok"

    @handle("finish-after")
    def finish_after(context: JobContext) -> str:
        context.finish(lambda: None)
        return "ok"

    for kind in ("loop-after", "thread-after", "finish-after"):
        assert ended(enqueue(kind, owner=None), seconds=8).result == "ok"
