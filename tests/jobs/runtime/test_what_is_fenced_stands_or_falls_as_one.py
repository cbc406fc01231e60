"""``fenced()``: domain rows and events in one transaction, and only under the lease."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import IntegrityError, connection, transaction

from jobs.enqueue import enqueue
from jobs.handlers import JobContext, LeaseLost
from jobs.models import Job
from tests.domain.models import Picture
from tests.jobs.runtime.intruder import Intruder
from tests.jobs.runtime.still_works import dangling_row, still_works
from tests.jobs.runtime.waiting import ended, said

Handle = Callable[..., Any]
pytestmark = pytest.mark.django_db(transaction=True)


def test_rows_and_events_are_written_together(handle: Handle, start: Handle) -> None:
    @handle("painting")
    def painting(context: JobContext) -> None:
        context.append_event("before")
        with context.fenced():
            Picture.objects.create(status="painted")
            context.append_event("inside")
            context.progress(0.5, "half")
        context.append_event("after")

    @handle("painting-on-the-loop")
    async def painting_on_the_loop(context: JobContext) -> None:
        def write() -> None:
            with context.fenced():
                Picture.objects.create(status="painted")

        await sync_to_async(write)()

    jobs = [enqueue("painting", owner=None), enqueue("painting-on-the-loop", owner=None)]
    start()
    assert {ended(job).status for job in jobs} == {"succeeded"}
    assert said(jobs[0]) == ["before", "inside", "after"]
    assert Picture.objects.filter(status="painted").count() == 2


def test_a_block_that_raises_leaves_nothing(handle: Handle, start: Handle) -> None:
    @handle("painting")
    def painting(context: JobContext) -> None:
        context.append_event("before")
        with pytest.raises(ZeroDivisionError), context.fenced():
            Picture.objects.create()
            context.append_event("inside")
            1 / 0  # noqa: B018
        context.append_event("after")

    job = enqueue("painting", owner=None)
    start()
    assert ended(job).status == "succeeded"
    assert said(job) == ["before", "after"]
    assert not Picture.objects.exists()


def test_a_block_that_cannot_be_committed_leaves_nothing(handle: Handle, start: Handle) -> None:
    @handle("painting")
    def painting(context: JobContext) -> None:
        context.append_event("before")
        with pytest.raises(IntegrityError), context.fenced():
            dangling_row()
            context.append_event("inside")
        context.append_event("after")

    job = enqueue("painting", owner=None)
    start()
    assert ended(job).status == "succeeded"
    assert said(job) == ["before", "after"]


def test_it_is_refused_inside_another_transaction(handle: Handle, start: Handle) -> None:
    @handle("painting", max_attempts=1)
    def painting(context: JobContext) -> None:
        with transaction.atomic(), context.fenced():
            Picture.objects.create()

    @handle("nesting", max_attempts=1)
    def nesting(context: JobContext) -> None:
        with context.fenced(), context.fenced():
            Picture.objects.create()

    jobs = [enqueue("painting", owner=None), enqueue("nesting", owner=None)]
    start()
    assert all("cannot be used inside another atomic block" in ended(job).error_message for job in jobs)
    assert not Picture.objects.exists()


def test_on_the_loop_itself_it_is_refused_and_holds_nobody_up(handle: Handle, start: Handle) -> None:
    @handle("painting", max_attempts=1)
    async def painting(context: JobContext) -> None:
        with context.fenced():
            pass

    job = enqueue("painting", owner=None)
    start()
    row = ended(job)
    assert (row.status, "sync_to_async" in row.error_message) == ("failed", True)
    still_works(handle)


def test_after_a_lost_lease_nothing_is_written(
    handle: Handle, start: Handle, released: threading.Event, intruder: Intruder
) -> None:
    begun, refused = threading.Event(), threading.Event()

    @handle("painting")
    def painting(context: JobContext) -> str:
        context.finish(lambda: Picture.objects.create())
        begun.set()
        released.wait(20)
        context.append_event("late")
        try:
            with context.fenced():
                Picture.objects.create()
        except LeaseLost:
            refused.set()
        return "late"

    job = enqueue("painting", owner=None)
    start()
    assert begun.wait(10)
    intruder.take_over(job.pk)
    before = Job.objects.filter(pk=job.pk).values().get()
    released.set()
    assert refused.wait(10)
    still_works(handle)
    assert Job.objects.filter(pk=job.pk).values().get() == before
    assert not Picture.objects.exists()
    assert said(job) == []


def test_a_handler_in_its_own_long_transaction_says_events_without_a_deadlock(handle: Handle, start: Handle) -> None:
    @handle("painting", max_attempts=1)
    def painting(context: JobContext) -> bool:
        context.append_event("before")
        with transaction.atomic():
            Picture.objects.create()
            for number in range(100):
                context.append_event(f"step-{number}")
                context.progress(number / 100)
            # Long enough for the store to have tried: it waits at most lease / 6 at a time.
            until = time.monotonic() + 1.5
            while time.monotonic() < until:
                Picture.objects.count()
        return True

    job = enqueue("painting", owner=None)
    start(lease_seconds=6)
    assert ended(job).result is True
    assert said(job) == ["before", *[f"step-{number}" for number in range(100)]]


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL has no lock over the whole database")
def test_a_database_that_others_keep_is_waited_for(handle: Handle, start: Handle, intruder: Intruder) -> None:
    @handle("painting")
    def painting(context: JobContext) -> None:
        intruder.hold()
        threading.Timer(1.6, intruder.let_go).start()  # Longer than one statement waits with a lease of six seconds.
        with context.fenced():
            Picture.objects.create(status="painted")

    job = enqueue("painting", owner=None)
    start(lease_seconds=6)
    assert (ended(job).status, ended(job).attempt) == ("succeeded", 1)
    assert Picture.objects.filter(status="painted").count() == 1
