"""``stop()`` waits for what runs, then gives it back uncharged: nothing that was done is lost, nothing is orphaned."""

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from jobs.enqueue import enqueue
from jobs.handlers import JobContext, LeaseLost
from jobs.models import Job, JobAttempt, Worker
from jobs.transitions import request_cancel
from tests.domain.models import Picture
from tests.jobs.runtime.intruder import Intruder
from tests.jobs.runtime.waiting import aside, eventually, outcomes, said, status_of

Handle = Callable[..., Any]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def patient(handle: Handle, released: threading.Event) -> threading.Event:
    """A handler of kind ``patient`` that says ``begun`` and then waits; set the event and it goes on."""
    go_on = threading.Event()

    @handle("patient", max_attempts=1)
    def patient(context: JobContext) -> str:
        context.append_event("begun")
        while not (go_on.is_set() or released.is_set()):
            go_on.wait(0.01)
        return "done"

    return go_on


def test_stop_waits_for_what_runs_and_claims_nothing_more(start: Handle, patient: threading.Event) -> None:
    job = enqueue("patient", owner=None)
    runtime = start(concurrency=1, drain_seconds=20)
    eventually(lambda: said(job) == ["begun"])
    behind = enqueue("patient", owner=None)
    stopping = aside(runtime.stop)
    eventually(lambda: Worker.objects.get(pk=runtime.worker_id) and runtime._store._claiming is False)
    assert status_of(job) == "running"
    patient.set()
    stopping.join(10)
    assert (status_of(job), status_of(behind)) == ("succeeded", "queued")
    assert Worker.objects.get(pk=runtime.worker_id).state == "stopped"


@pytest.mark.parametrize("kind", ["in-a-thread", "on-the-loop"])
def test_after_the_time_to_drain_jobs_are_given_back_uncharged(
    handle: Handle, start: Handle, released: threading.Event, kind: str
) -> None:
    refused: list[str] = []

    def after(context: JobContext) -> str:
        for write in (lambda: context.append_event("late"), lambda: context.fenced().__enter__()):
            try:
                write()
            except LeaseLost:
                refused.append("yes")
        return "late"

    @handle("in-a-thread", max_attempts=1)
    def in_a_thread(context: JobContext) -> str:
        context.finish(lambda: Picture.objects.create())
        context.append_event("said")
        released.wait(20)
        return after(context)

    @handle("on-the-loop", max_attempts=1)
    async def on_the_loop(context: JobContext) -> str:
        context.finish(lambda: Picture.objects.create())
        context.append_event("said")
        try:
            await asyncio.sleep(20)
        finally:
            after(context)
        return "late"

    job = enqueue(kind, owner=None)
    runtime = start(drain_seconds=0.1)
    eventually(lambda: said(job) == ["said"])
    runtime.stop()
    row = Job.objects.get(pk=job.pk)
    assert (row.status, row.attempt, row.epoch, row.fair_tag, row.lease_owner) == ("queued", 0, 1, 0, None)
    assert outcomes(job) == ["released"]
    before = Job.objects.filter(pk=job.pk).values().get()
    released.set()
    eventually(lambda: len(refused) == 2)
    eventually(lambda: runtime._held.abandoned() == 0)
    assert Job.objects.filter(pk=job.pk).values().get() == before
    assert (said(job), Picture.objects.count()) == (["said"], 0)


def test_what_was_said_just_before_the_release_is_written(
    handle: Handle, start: Handle, released: threading.Event, intruder: Intruder
) -> None:
    """The store is held up, so that the event is still on its way when the job is given back."""
    speak, spoken = threading.Event(), threading.Event()

    @handle("talking")
    def talking(context: JobContext) -> None:
        speak.wait(20)
        context.append_event("last words")
        context.progress(0.9, "nearly")
        spoken.set()
        released.wait(20)

    job = enqueue("talking", owner=None)
    runtime = start(drain_seconds=0, lease_seconds=6)
    eventually(lambda: status_of(job) == "running")
    intruder.hold()
    speak.set()
    assert spoken.wait(5)
    stopping = aside(runtime.stop)
    eventually(lambda: all(run.ending is not None for run in runtime._held.runs()))
    intruder.let_go()
    stopping.join(15)
    assert said(job) == ["last words"]
    assert (status_of(job), Job.objects.get(pk=job.pk).progress) == ("queued", 0.9)


def test_a_second_signal_gives_back_at_once(start: Handle, patient: threading.Event) -> None:
    job = enqueue("patient", owner=None)
    runtime = start(drain_seconds=20)
    eventually(lambda: said(job) == ["begun"])
    stopping = aside(runtime.stop)
    started = time.monotonic()
    runtime.hurry()
    stopping.join(15)
    assert time.monotonic() - started < 3
    assert (status_of(job), outcomes(job)) == ("queued", ["released"])


def test_a_job_with_a_cancel_request_is_cancelled_not_given_back(start: Handle, patient: threading.Event) -> None:
    job = enqueue("patient", owner=None)
    runtime = start(drain_seconds=0.1)
    eventually(lambda: said(job) == ["begun"])
    request_cancel(job.pk)
    runtime.stop()
    assert (status_of(job), outcomes(job)) == ("cancelled", ["cancelled"])


def test_a_claim_on_its_way_when_the_stop_comes_is_not_orphaned(
    start: Handle, patient: threading.Event, intruder: Intruder
) -> None:
    """The claim is in its transaction while the worker is told to stop, and commits afterwards."""
    runtime = start(drain_seconds=0.5, lease_seconds=30, poll_seconds=30)
    assert runtime.wait_until_idle(seconds=10)
    inside = threading.Event()
    original = runtime._store._claim

    def slow_claim(work: Any, **leaving: Any) -> Any:
        inside.set()
        claimed = original(work, **leaving)
        if work.claim:
            eventually(lambda: runtime._store._claiming is False)
        return claimed

    runtime._store._claim = slow_claim
    job = enqueue("patient", owner=None)
    assert inside.wait(5)
    aside(runtime.stop).join(15)
    row = Job.objects.get(pk=job.pk)
    assert (row.status, row.attempt) == ("queued", 0)
    assert not JobAttempt.objects.filter(outcome=None).exists()


def test_leases_are_renewed_while_the_worker_drains(start: Handle, patient: threading.Event) -> None:
    job = enqueue("patient", owner=None)
    runtime = start(drain_seconds=20, lease_seconds=6)
    eventually(lambda: said(job) == ["begun"])
    stopping = aside(runtime.stop)
    first = Job.objects.get(pk=job.pk).lease_expires_at
    eventually(lambda: Job.objects.get(pk=job.pk).lease_expires_at != first, seconds=5)
    patient.set()
    stopping.join(10)
    assert status_of(job) == "succeeded"


def test_start_and_stop_twice_are_once(start: Handle, patient: threading.Event) -> None:
    runtime = start()
    threads = threading.active_count()
    runtime.start()
    assert threading.active_count() == threads
    runtime.stop()
    runtime.stop()


def test_a_stopped_worker_leaves_no_thread_and_no_connection(start: Handle, patient: threading.Event) -> None:
    before = set(threading.enumerate())
    job = enqueue("patient", owner=None)
    runtime = start(drain_seconds=5)
    eventually(lambda: said(job) == ["begun"])
    patient.set()
    eventually(lambda: status_of(job) == "succeeded")
    runtime.stop()
    eventually(lambda: set(threading.enumerate()) <= before, seconds=5)
