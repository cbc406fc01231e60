"""A cancel request reaches a handler that checks within two seconds, wherever it was made, and wins to the end."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from jobs.enqueue import enqueue
from jobs.handlers import JobContext, Snooze
from jobs.models import Job
from jobs.transitions import request_cancel
from tests.jobs.runtime.intruder import Intruder
from tests.jobs.runtime.waiting import aside, ended, eventually, outcomes, said, status_of

Handle = Callable[..., Any]
pytestmark = pytest.mark.django_db(transaction=True)


def checking(handle: Handle, released: threading.Event) -> None:
    @handle("checking-thread")
    def checking_thread(context: JobContext) -> None:
        context.append_event("begun")
        while not released.wait(0.01):
            context.raise_if_cancelled()

    @handle("checking-loop")
    async def checking_loop(context: JobContext) -> None:
        context.append_event("begun")
        while not released.is_set():
            context.raise_if_cancelled()
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("kind", ["checking-thread", "checking-loop"])
@pytest.mark.parametrize("from_elsewhere", [False, True])
def test_within_two_seconds(
    handle: Handle, start: Handle, released: threading.Event, intruder: Intruder, kind: str, from_elsewhere: bool
) -> None:
    checking(handle, released)
    job = enqueue(kind, owner=None)
    start(concurrency=1, poll_seconds=1)
    eventually(lambda: said(job) == ["begun"])
    if from_elsewhere:
        intruder.request_cancel(job.pk)
    else:
        request_cancel(job.pk)
    row = ended(job, seconds=2)
    assert (row.status, row.attempt) == ("cancelled", 1)
    assert outcomes(job) == ["cancelled"]


def test_a_handler_that_never_checks_ends_cancelled(handle: Handle, start: Handle, released: threading.Event) -> None:
    @handle("deaf")
    def deaf(context: JobContext) -> str:
        released.wait(20)
        return "done"

    job = enqueue("deaf", owner=None)
    start()
    eventually(lambda: status_of(job) == "running")
    request_cancel(job.pk)
    released.set()
    row = ended(job)
    assert (row.status, row.result) == ("cancelled", None)
    assert outcomes(job) == ["cancelled"]


@pytest.mark.parametrize(
    ("error", "status", "outcome"), [(ValueError("no"), "failed", "failed"), (Snooze(1), "cancelled", "cancelled")]
)
def test_an_error_after_the_request_is_final(
    handle: Handle, start: Handle, released: threading.Event, error: Exception, status: str, outcome: str
) -> None:
    @handle("deaf")
    def deaf(context: JobContext) -> None:
        released.wait(20)
        raise error

    job = enqueue("deaf", owner=None)
    start()
    eventually(lambda: status_of(job) == "running")
    request_cancel(job.pk)
    released.set()
    assert ended(job).status == status
    assert outcomes(job) == [outcome]


def test_the_request_is_seen_while_the_worker_drains(handle: Handle, start: Handle, released: threading.Event) -> None:
    checking(handle, released)
    job = enqueue("checking-thread", owner=None)
    runtime = start(drain_seconds=20)
    eventually(lambda: said(job) == ["begun"])
    stopping = aside(runtime.stop)
    request_cancel(job.pk)
    assert ended(job, seconds=3).status == "cancelled"
    stopping.join(10)
    assert not stopping.is_alive()


def test_a_cancel_during_the_retry_pause_ends_the_job(handle: Handle, start: Handle) -> None:
    @handle("failing")
    def failing(context: JobContext) -> None:
        raise ValueError("no")

    job = enqueue("failing", owner=None)
    start()
    eventually(lambda: outcomes(job) == ["failed"])
    assert request_cancel(job.pk).status == "cancelled"
    assert Job.objects.get(pk=job.pk).error_message == "no"
