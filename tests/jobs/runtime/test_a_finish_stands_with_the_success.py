"""``finish(fn)``: the domain's last writes and the success of the job in one transaction, or neither."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from jobs.enqueue import enqueue
from jobs.handlers import JobCancelled, JobContext
from jobs.models import Job
from tests.domain.models import Picture
from tests.jobs.runtime.intruder import Intruder
from tests.jobs.runtime.still_works import dangling_row, still_works
from tests.jobs.runtime.waiting import ended, eventually, outcomes, said, status_of

Handle = Callable[..., Any]
pytestmark = pytest.mark.django_db(transaction=True)


def test_a_finish_stands_with_the_success(handle: Handle, start: Handle) -> None:
    seen: list[str] = []

    @handle("painting")
    async def painting(context: JobContext) -> str:
        def write() -> None:
            seen.append(Job.objects.get(pk=context.job.id).status)
            Picture.objects.create(status="finished")

        context.finish(write)
        return "done"

    job = enqueue("painting", owner=None)
    start()
    row = ended(job)
    assert (row.status, row.result, seen) == ("succeeded", "done", ["succeeded"])
    assert Picture.objects.get().status == "finished"


@pytest.mark.parametrize("say", [lambda c: c.append_event("late"), lambda c: c.progress(1)], ids=["event", "progress"])
def test_nothing_is_said_inside_a_finish(handle: Handle, start: Handle, say: Callable[[JobContext], None]) -> None:
    @handle("painting", max_attempts=1)
    def painting(context: JobContext) -> None:
        def write() -> None:
            Picture.objects.create()
            say(context)

        context.finish(write)

    job = enqueue("painting", owner=None)
    start()
    row = ended(job)
    assert row.status == "failed" and row.error_message.endswith("is over.")
    assert (said(job), Picture.objects.exists()) == ([], False)


@pytest.mark.parametrize("error", [ValueError("no room"), SystemExit("no room"), KeyboardInterrupt("no room")])
def test_a_finish_that_raises_fails_the_attempt(handle: Handle, start: Handle, error: BaseException) -> None:
    @handle("painting", max_attempts=1)
    def painting(context: JobContext) -> str:
        def write() -> None:
            Picture.objects.create()
            raise error

        context.finish(write)
        return "done"

    job = enqueue("painting", owner=None)
    start()
    row = ended(job)
    assert (row.status, row.error_message, row.result) == ("failed", "no room", None)
    assert outcomes(job) == ["failed"]
    assert not Picture.objects.exists()
    still_works(handle)


def test_a_finish_that_cannot_be_committed_fails_the_attempt(handle: Handle, start: Handle) -> None:
    @handle("painting", max_attempts=1)
    def painting(context: JobContext) -> None:
        context.append_event("said")
        context.finish(dangling_row)

    job = enqueue("painting", owner=None)
    start()
    row = ended(job)
    assert row.status == "failed"
    assert "constraint" in row.error_message.lower()
    assert said(job) == ["said"]
    still_works(handle)


def test_a_finish_that_asks_for_a_cancel_gets_it(handle: Handle, start: Handle) -> None:
    @handle("painting")
    def painting(context: JobContext) -> None:
        def write() -> None:
            Picture.objects.create()
            raise JobCancelled("The picture is gone.")

        context.finish(write)

    job = enqueue("painting", owner=None)
    start()
    assert ended(job).status == "cancelled"
    assert not Picture.objects.exists()


def test_a_finish_does_not_run_unless_the_handler_succeeds(handle: Handle, start: Handle) -> None:
    @handle("failing", max_attempts=1)
    def failing(context: JobContext) -> None:
        context.finish(lambda: Picture.objects.create())
        raise ValueError("no")

    @handle("unstorable", max_attempts=1)
    def unstorable(context: JobContext) -> object:
        context.finish(lambda: Picture.objects.create())
        return object()

    jobs = [enqueue(kind, owner=None) for kind in ("failing", "unstorable")]
    start()
    assert {ended(job).status for job in jobs} == {"failed"}
    assert not Picture.objects.exists()


def test_a_finish_does_not_run_after_a_cancel_request(
    handle: Handle, start: Handle, released: threading.Event, intruder: Intruder
) -> None:
    @handle("painting")
    def painting(context: JobContext) -> str:
        context.finish(lambda: Picture.objects.create())
        released.wait(20)
        return "done"

    job = enqueue("painting", owner=None)
    start()
    eventually(lambda: status_of(job) == "running")
    intruder.request_cancel(job.pk)
    released.set()
    row = ended(job)
    assert (row.status, row.result) == ("cancelled", None)
    assert not Picture.objects.exists()


def test_a_finish_over_the_deadline_is_timed_out(handle: Handle, start: Handle) -> None:
    @handle("painting", timeout_seconds=0.3, max_attempts=1)
    def painting(context: JobContext) -> None:
        def write() -> None:
            Picture.objects.create()
            while timezone.now() <= context.deadline:
                time.sleep(0.01)

        context.finish(write)

    job = enqueue("painting", owner=None)
    start()
    assert ended(job).error_message == "Background job timed out."
    assert outcomes(job) == ["timed_out"]
    assert not Picture.objects.exists()


def test_a_second_finish_is_refused(handle: Handle, start: Handle) -> None:
    @handle("painting")
    def painting(context: JobContext) -> None:
        context.finish(lambda: None)
        context.finish(lambda: None)

    job = enqueue("painting", owner=None)
    start()
    row = ended(job)
    assert (row.status, row.attempt) == ("failed", 1)
    assert "one finish" in row.error_message
