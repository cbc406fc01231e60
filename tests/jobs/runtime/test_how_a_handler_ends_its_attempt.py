"""What a handler raises or returns decides how its attempt ends, and nothing it does ends its worker."""

import asyncio
import sys
from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction

from jobs.enqueue import enqueue
from jobs.handlers import JobCancelled, JobContext, PermanentError, Snooze
from jobs.models import Job, JobAttempt
from tests.jobs.runtime.still_works import still_works
from tests.jobs.runtime.waiting import ended, eventually, outcomes, status_of

Handle = Callable[..., Any]
pytestmark = pytest.mark.django_db(transaction=True)


class Wordless(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def test_an_error_is_tried_again_until_the_budget_is_used_up(handle: Handle, start: Handle) -> None:
    @handle("failing", max_attempts=3, backoff=lambda attempt: 0.01)
    def failing(context: JobContext) -> None:
        raise ValueError(f"attempt {context.job.attempt}")

    job = enqueue("failing", owner=None)
    start()
    row = ended(job)
    assert (row.status, row.attempt, row.error_message) == ("failed", 3, "attempt 3")
    assert outcomes(job) == ["failed"] * 3
    first = JobAttempt.objects.get(job=job, epoch=1)
    assert (first.error_class, first.error_message) == ("ValueError", "attempt 1")
    assert "raise ValueError" in first.traceback


def test_a_permanent_error_is_not_tried_again(handle: Handle, start: Handle) -> None:
    @handle("broken")
    def broken(context: JobContext) -> None:
        raise PermanentError("The file is empty.")

    @handle("missing", permanent=(KeyError,))
    async def missing(context: JobContext) -> None:
        raise KeyError("gone")

    one, two = enqueue("broken", owner=None), enqueue("missing", owner=None)
    start()
    assert (ended(one).error_message, ended(two).error_message) == ("The file is empty.", "'gone'")
    assert outcomes(one) == outcomes(two) == ["failed"]


def test_a_snooze_costs_no_attempt(handle: Handle, start: Handle) -> None:
    calls: list[int] = []

    @handle("sleepy", max_attempts=1)
    async def sleepy(context: JobContext) -> str:
        calls.append(context.job.attempt)
        if len(calls) < 3:
            raise Snooze(0.05)
        return "awake"

    job = enqueue("sleepy", owner=None)
    start()
    assert ended(job).result == "awake"
    assert outcomes(job) == ["snoozed", "snoozed", "succeeded"]
    assert calls == [1, 1, 1]


def test_a_handler_that_finds_its_resource_gone_cancels_the_job(handle: Handle, start: Handle) -> None:
    @handle("orphaned")
    def orphaned(context: JobContext) -> None:
        raise JobCancelled("The document is gone.")

    job = enqueue("orphaned", owner=None)
    start()
    assert ended(job).status == "cancelled"
    assert outcomes(job) == ["cancelled"]


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit, asyncio.CancelledError, Wordless])
def test_whatever_is_raised_ends_that_attempt_only(handle: Handle, start: Handle, error: type[BaseException]) -> None:
    @handle("in-a-thread", max_attempts=1)
    def in_a_thread(context: JobContext) -> None:
        raise error

    @handle("on-the-loop", max_attempts=1)
    async def on_the_loop(context: JobContext) -> None:
        await asyncio.sleep(0)
        raise error

    jobs = [enqueue(kind, owner=None) for kind in ("in-a-thread", "on-the-loop")]
    start()
    assert [(ended(job).status, ended(job).error_message) for job in jobs] == [("failed", error.__name__)] * 2
    still_works(handle)


def test_a_child_task_that_exits_does_not_stop_the_loop(handle: Handle, start: Handle) -> None:
    async def leave() -> None:
        await asyncio.sleep(0)
        sys.exit("enough")

    @handle("parent", max_attempts=1)
    async def parent(context: JobContext) -> None:
        await asyncio.create_task(leave())

    job = enqueue("parent", owner=None)
    start()
    row = ended(job, seconds=5)
    assert (row.status, row.error_message) == ("failed", "enough")
    still_works(handle)


@pytest.mark.parametrize("result", [object(), {"when": {1, 2}}, float("nan"), "x" * (256 * 1024)])
def test_a_result_that_cannot_be_stored_fails_for_good(handle: Handle, start: Handle, result: Any) -> None:
    @handle("returning")
    def returning(context: JobContext) -> Any:
        return result

    job = enqueue("returning", owner=None)
    start()
    row = ended(job)
    assert (row.status, row.attempt, row.result) == ("failed", 1, None)
    assert "result is" in row.error_message


@pytest.mark.parametrize("payload", [{"bad": object()}, {"big": "x" * (256 * 1024)}])
def test_an_event_that_cannot_be_stored_fails_for_good(handle: Handle, start: Handle, payload: Any) -> None:
    @handle("talking")
    def talking(context: JobContext) -> None:
        context.append_event("page", payload)

    job = enqueue("talking", owner=None)
    start()
    row = ended(job)
    assert (row.status, row.attempt) == ("failed", 1)
    assert "payload of event 'page'" in row.error_message


@pytest.mark.parametrize("type", ["nul\x00", "half\ud800"])
def test_an_event_type_with_unstorable_characters_stops_nobody(handle: Handle, start: Handle, type: str) -> None:
    @handle("talking", max_attempts=1)
    def talking(context: JobContext) -> None:
        context.append_event(type)

    job = enqueue("talking", owner=None)
    start()
    ended(job, seconds=5)
    still_works(handle)


def test_an_unknown_kind_fails_like_any_other_error(start: Handle, handle: Handle) -> None:
    @handle("soon-gone")
    def soon_gone(context: JobContext) -> None: ...

    job = enqueue("soon-gone", owner=None)
    Job.objects.filter(pk=job.pk).update(kind="of-a-later-version", max_attempts=2)
    start()
    eventually(lambda: outcomes(job) == ["failed"])
    row = Job.objects.get(pk=job.pk)
    assert (row.status, row.attempt) == ("queued", 1)
    assert row.error_message == 'No handler is registered for job kind "of-a-later-version".'


def test_errors_are_masked_and_bounded(handle: Handle, start: Handle) -> None:
    @handle("leaking", max_attempts=1)
    def leaking(context: JobContext) -> None:
        raise ValueError("postgres://joe:hunter2@db/x token=abcdef " + "y" * 5000)

    job = enqueue("leaking", owner=None)
    start()
    message = ended(job).error_message
    assert message.startswith("postgres://***@db/x token=*** yyy")
    assert len(message) == 1000
    assert "hunter2" not in JobAttempt.objects.get(job=job).traceback


def test_a_broken_backoff_falls_back_to_the_default(handle: Handle, start: Handle) -> None:
    @handle("failing", backoff=lambda attempt: 1 / 0)
    def failing(context: JobContext) -> None:
        raise ValueError("no")

    job = enqueue("failing", owner=None)
    start()
    eventually(lambda: outcomes(job) == ["failed"])
    row = Job.objects.get(pk=job.pk)
    assert status_of(job) == "queued"
    assert 1.9 < (row.available_at - row.updated_at).total_seconds() < 2.1


def test_a_transaction_left_open_does_not_poison_the_thread(handle: Handle, start: Handle) -> None:
    @handle("careless", max_attempts=1)
    def careless(context: JobContext) -> None:
        transaction.atomic().__enter__()
        Job.objects.count()

    @handle("querying", max_attempts=1)
    def querying(context: JobContext) -> int:
        return Job.objects.filter(kind="querying").count()

    start(concurrency=1)
    ended(enqueue("careless", owner=None))
    row = ended(enqueue("querying", owner=None))
    assert (row.error_message, row.result) == ("", 1)


def test_an_endless_timeout_stops_nobody(handle: Handle, start: Handle) -> None:
    @handle("patient")
    def patient(context: JobContext) -> str:
        return "done"

    job = enqueue("patient", owner=None)
    Job.objects.filter(pk=job.pk).update(timeout_seconds=1e15)
    start()
    assert ended(job, seconds=5).result == "done"
