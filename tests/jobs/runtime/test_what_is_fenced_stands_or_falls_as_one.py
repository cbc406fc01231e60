"""``fenced()``, ``finish(fn)`` and hooks: domain rows, events and the job in one transaction, under the lease."""

import threading
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import IntegrityError, transaction
from django.utils import timezone

from jobs.claim import Serves, claim
from jobs.enqueue import enqueue
from jobs.handlers import JobCancelled, JobContext, LeaseLost
from jobs.models import Job, JobEvent
from jobs.resources import Change
from tests.domain.models import Picture
from tests.jobs.runtime.intruder import Intruder
from tests.jobs.runtime.waiting import ended, eventually, outcomes, said, status_of

Handle = Callable[..., Any]
pytestmark = pytest.mark.django_db(transaction=True)
HOUR = timedelta(hours=1)


def dangling_row() -> None:
    """A row whose foreign key points nowhere: the database notices at the commit."""
    JobEvent.objects.create(job_id="job_nobody", sequence=1, epoch=1, type="x", created_at=timezone.now())


def still_works(handle: Handle) -> None:
    @handle("plain-after")
    def plain_after(context: JobContext) -> str:
        return "ok"

    @handle("finish-after")
    def finish_after(context: JobContext) -> str:
        context.finish(lambda: None)
        return "ok"

    for kind in ("plain-after", "finish-after"):
        assert ended(enqueue(kind, owner=None), seconds=8).result == "ok"


# --- fenced ----------------------------------------------------------------------------------------------------------


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


# --- finish(fn) ------------------------------------------------------------------------------------------------------


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


# --- Hooks -----------------------------------------------------------------------------------------------------------


class Refusing:
    """A domain that refuses the picture "bad", in one way or another, at one status or another."""

    def __init__(self, how: Callable[[], None], *to_statuses: str) -> None:
        self.how = how
        self.to_statuses = to_statuses

    def __call__(self, changes: Sequence[Change], now: datetime) -> None:
        for change in changes:
            if change.resource_id == "bad" and change.to_status in self.to_statuses:
                self.how()


class Wordless(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def raise_error() -> None:
    raise ValueError("The picture is locked.")


def raise_exit() -> None:
    raise SystemExit("The picture is locked.")


def raise_wordless() -> None:
    raise Wordless


def wrong_statement() -> None:
    Picture.objects.extra(where=["no_such_column = 1"]).count()


HOOKS = [raise_error, raise_exit, raise_wordless, wrong_statement, dangling_row]


def fifty(kind: str) -> tuple[Job, list[Job]]:
    with transaction.atomic():  # All of them at once, so that they end in one batch.
        jobs = [enqueue(kind, owner=None, resource=("picture", name)) for name in ["bad", *map(str, range(49))]]
    return jobs[0], jobs[1:]


@pytest.mark.parametrize("how", HOOKS)
def test_a_hook_that_refuses_an_end_hurts_its_own_job_only(
    handle: Handle, follow: Handle, start: Handle, how: Callable[[], None]
) -> None:
    follow("picture", Refusing(how, "succeeded"))

    @handle("painting", max_attempts=1)
    async def painting(context: JobContext) -> str:
        return "ok"

    bad, good = fifty("painting")
    start(concurrency=50)
    assert {ended(job).result for job in good} == {"ok"}
    row = ended(bad)
    assert (row.status, row.result, row.attempt) == ("failed", None, 1)
    assert row.error_message
    still_works(handle)


@pytest.mark.parametrize("how", HOOKS)
def test_a_hook_that_refuses_every_end_puts_its_job_off(
    handle: Handle, follow: Handle, start: Handle, how: Callable[[], None]
) -> None:
    follow("picture", Refusing(how, "succeeded", "failed", "queued"))

    @handle("painting")
    async def painting(context: JobContext) -> str:
        return "ok"

    bad = enqueue_bad_without_hook("painting")
    others = [enqueue("painting", owner=None, resource=("picture", str(n))) for n in range(9)]
    runtime = start(concurrency=10)
    assert {ended(job).result for job in others} == {"ok"}
    still_works(handle)
    eventually(lambda: len(runtime._held) == 0)
    row = Job.objects.get(pk=bad.pk)
    assert (row.status, outcomes(bad)) == ("running", [None])
    assert row.lease_expires_at is not None
    assert 20 < (row.lease_expires_at - timezone.now()).total_seconds() < 31


def enqueue_bad_without_hook(kind: str) -> Job:
    """A job for the picture that refuses; it would refuse to be queued, too."""
    job = enqueue(kind, owner=None)
    Job.objects.filter(pk=job.pk).update(resource_type="picture", resource_id="bad")
    return job


@pytest.mark.parametrize("how", HOOKS)
def test_a_hook_that_refuses_a_reclaim_puts_its_own_job_off(
    handle: Handle, follow: Handle, start: Handle, how: Callable[[], None]
) -> None:
    follow("picture", Refusing(how, "queued", "failed"))

    @handle("painting")
    async def painting(context: JobContext) -> str:
        return "ok"

    bad = enqueue_bad_without_hook("painting")
    good = [enqueue("painting", owner=None, resource=("picture", str(n))) for n in range(9)]
    dead = claim(worker="worker_dead", serves=Serves(), free=10, lease_seconds=30, now=timezone.now() - HOUR)
    assert len(dead) == 10
    start()
    assert {ended(job).result for job in good} == {"ok"}
    assert outcomes(good[0]) == ["lost", "succeeded"]
    row = Job.objects.get(pk=bad.pk)
    assert (row.status, row.epoch, outcomes(bad)) == ("running", 1, [None])
    assert row.lease_expires_at is not None
    assert 20 < (row.lease_expires_at - timezone.now()).total_seconds() < 31


@pytest.mark.parametrize("how", HOOKS)
def test_a_hook_that_refuses_a_claim_puts_its_own_job_off(
    handle: Handle, follow: Handle, start: Handle, how: Callable[[], None]
) -> None:
    follow("picture", Refusing(how, "running"))

    @handle("painting")
    async def painting(context: JobContext) -> str:
        return "ok"

    bad, good = fifty("painting")
    start(concurrency=50)
    assert {ended(job).result for job in good} == {"ok"}
    still_works(handle)
    eventually(lambda: Job.objects.get(pk=bad.pk).error_message)
    row = Job.objects.get(pk=bad.pk)
    assert (row.status, row.attempt, row.epoch) == ("queued", 0, 0)
    assert 20 < (row.available_at - timezone.now()).total_seconds() < 31
