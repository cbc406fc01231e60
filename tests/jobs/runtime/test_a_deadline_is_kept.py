"""At its timeout an attempt is over: whatever its handler still does, nothing is written, and the slot is free."""

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from jobs.enqueue import enqueue
from jobs.handlers import JobContext, LeaseLost
from jobs.models import Job, JobAttempt, JobEvent
from jobs.runtime.supervisor import GRACE_SECONDS
from tests.jobs.runtime.waiting import ended, eventually, outcomes, said, status_of

Handle = Callable[..., Any]
pytestmark = pytest.mark.django_db(transaction=True)
TIMEOUT = 0.2
TEXT = "Background job timed out."


def blocking_thread(handle: Handle, released: threading.Event) -> None:
    @handle("stuck", timeout_seconds=TIMEOUT, max_attempts=1)
    def stuck(context: JobContext) -> str:
        released.wait(20)
        return "late"


def blocking_loop(handle: Handle, released: threading.Event) -> None:
    @handle("stuck", timeout_seconds=TIMEOUT, max_attempts=1)
    async def stuck(context: JobContext) -> str:
        released.wait(20)
        return "late"


def swallowing_cancellation(handle: Handle, released: threading.Event) -> None:
    @handle("stuck", timeout_seconds=TIMEOUT, max_attempts=1)
    async def stuck(context: JobContext) -> str:
        while not released.is_set():
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                continue
        return "late"


STUCK = [blocking_thread, blocking_loop, swallowing_cancellation]


@pytest.mark.parametrize("stuck", STUCK)
def test_a_handler_that_does_not_stop_is_timed_out(
    handle: Handle, start: Handle, released: threading.Event, stuck: Handle
) -> None:
    stuck(handle, released)

    @handle("quick")
    def quick(context: JobContext) -> str:
        return "done"

    job = enqueue("stuck", owner=None)
    started = time.monotonic()
    start(concurrency=1)
    row = ended(job)
    assert TIMEOUT + GRACE_SECONDS < time.monotonic() - started < TIMEOUT + GRACE_SECONDS + 1.5
    assert (row.status, row.error_message, row.result) == ("failed", TEXT, None)
    assert outcomes(job) == ["timed_out"]
    # The only slot is free again while the handler still blocks.
    assert ended(enqueue("quick", owner=None), seconds=5).result == "done"
    before = Job.objects.filter(pk=job.pk).values().get()
    released.set()
    assert ended(enqueue("quick", owner=None), seconds=5).result == "done"
    assert Job.objects.filter(pk=job.pk).values().get() == before


def test_a_coroutine_is_cancelled_at_once(handle: Handle, start: Handle) -> None:
    @handle("slow", timeout_seconds=TIMEOUT, max_attempts=1)
    async def slow(context: JobContext) -> None:
        await asyncio.sleep(20)

    job = enqueue("slow", owner=None)
    started = time.monotonic()
    start()
    assert ended(job).error_message == TEXT
    assert time.monotonic() - started < TIMEOUT + 1
    attempt = JobAttempt.objects.get(job=job)
    assert (attempt.outcome, attempt.error_class) == ("timed_out", "TimeoutError")


def test_a_coroutine_that_waits_for_a_thread_is_cancelled(
    handle: Handle, start: Handle, released: threading.Event
) -> None:
    @handle("slow", timeout_seconds=TIMEOUT, max_attempts=1)
    async def slow(context: JobContext) -> None:
        await sync_to_async(released.wait)(20)

    job = enqueue("slow", owner=None)
    start()
    assert ended(job, seconds=5).error_message == TEXT


def test_a_timeout_is_tried_again_like_any_error(handle: Handle, start: Handle) -> None:
    @handle("slow", timeout_seconds=TIMEOUT, max_attempts=2, backoff=lambda attempt: 0.01)
    async def slow(context: JobContext) -> str:
        if context.job.attempt == 1:
            await asyncio.sleep(20)
        return "second time"

    job = enqueue("slow", owner=None)
    start()
    assert ended(job).result == "second time"
    assert outcomes(job) == ["timed_out", "succeeded"]


def test_nothing_is_written_after_the_deadline(handle: Handle, start: Handle, released: threading.Event) -> None:
    refused: list[str] = []

    @handle("late", timeout_seconds=TIMEOUT, max_attempts=1)
    def late(context: JobContext) -> None:
        context.append_event("in-time")
        released.wait(20)
        for write in (
            lambda: context.append_event("late"),
            lambda: context.progress(1),
            lambda: context.finish(lambda: None),
            context.raise_if_cancelled,
            lambda: context.fenced().__enter__(),
        ):
            with pytest.raises(LeaseLost):
                write()
            refused.append("yes")

    job = enqueue("late", owner=None)
    start()
    ended(job)
    before = Job.objects.filter(pk=job.pk).values().get()
    released.set()
    eventually(lambda: len(refused) == 5)
    assert said(job) == ["in-time"]
    assert Job.objects.filter(pk=job.pk).values().get() == before


def test_a_result_that_comes_after_the_deadline_is_a_timeout_even_while_the_supervisor_waits(
    handle: Handle, start: Handle
) -> None:
    @handle("late", timeout_seconds=TIMEOUT, max_attempts=1)
    def late(context: JobContext) -> str:
        while context.deadline.timestamp() > time.time() - 0.05:
            time.sleep(0.01)
        return "late"

    runtime = start()
    runtime._supervisor._judge = lambda now: None  # As if it waited for the database all the time.
    job = enqueue("late", owner=None)
    assert ended(job).error_message == TEXT


def test_a_run_that_is_over_before_the_loop_comes_to_it_never_starts(
    handle: Handle, start: Handle, released: threading.Event
) -> None:
    begun: list[str] = []

    @handle("blocks-the-loop", max_attempts=1)
    async def blocks_the_loop(context: JobContext) -> None:
        begun.append("blocker")
        released.wait(20)

    @handle("behind", timeout_seconds=TIMEOUT, max_attempts=1)
    async def behind(context: JobContext) -> None:
        begun.append("behind")

    @handle("afterwards")
    async def afterwards(context: JobContext) -> None: ...

    blocker = enqueue("blocks-the-loop", owner=None)
    start()
    eventually(lambda: begun)
    job = enqueue("behind", owner=None)
    assert ended(job).error_message == TEXT
    released.set()
    ended(blocker)
    ended(enqueue("afterwards", owner=None))
    assert begun == ["blocker"]


def test_neighbours_of_a_blocked_loop_keep_their_leases(
    handle: Handle, start: Handle, released: threading.Event
) -> None:
    """Six seconds of lease, and eight of a loop that does not move."""

    @handle("blocks-the-loop", timeout_seconds=1, max_attempts=1)
    async def blocks_the_loop(context: JobContext) -> None:
        released.wait(20)

    @handle("neighbour", max_attempts=1)
    def neighbour(context: JobContext) -> str:
        released.wait(20)
        return "kept"

    job, other = enqueue("blocks-the-loop", owner=None), enqueue("neighbour", owner=None)
    start(lease_seconds=6)
    eventually(lambda: status_of(other) == "running")
    first = Job.objects.get(pk=other.pk).lease_expires_at
    assert ended(job).error_message == TEXT
    assert first is not None
    eventually(lambda: (Job.objects.get(pk=other.pk).lease_expires_at or first) > first, what="a renewal")
    released.set()
    assert ended(other).result == "kept"
    assert JobEvent.objects.count() == 0


def blocking_a_thread_of_a_coroutine(handle: Handle, released: threading.Event) -> None:
    @handle("stuck", timeout_seconds=TIMEOUT, max_attempts=1)
    async def stuck(context: JobContext) -> None:
        await sync_to_async(released.wait)(20)


@pytest.mark.parametrize("stuck", [blocking_thread, swallowing_cancellation, blocking_a_thread_of_a_coroutine])
def test_more_abandoned_handlers_than_slots_restart_the_worker(
    handle: Handle, start: Handle, released: threading.Event, stuck: Handle
) -> None:
    stuck(handle, released)
    for _ in range(2):
        enqueue("stuck", owner=None)
    runtime = start(concurrency=1)
    assert runtime.wants_to_stop.wait(15)
    assert runtime.exit_code == 75


def test_a_loop_that_does_not_answer_for_a_lease_restarts_the_worker(
    handle: Handle, start: Handle, released: threading.Event
) -> None:
    @handle("blocks-the-loop", max_attempts=1)
    async def blocks_the_loop(context: JobContext) -> None:
        released.wait(20)

    enqueue("blocks-the-loop", owner=None)
    runtime = start(lease_seconds=6)
    assert runtime.wants_to_stop.wait(15)
    assert runtime.exit_code == 75
