"""Async functions and plain ones run with one context, and what they return is the job's result."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from jobs.enqueue import enqueue
from jobs.handlers import JobContext
from jobs.models import Job
from oncall.models import User
from tests.jobs.runtime.waiting import ended, eventually, outcomes, said, status_of

Handle = Callable[..., Any]
pytestmark = pytest.mark.django_db(transaction=True)


def test_a_coroutine_and_a_function_return_results(handle: Handle, start: Handle, alice: User) -> None:
    @handle("on-the-loop")
    async def on_the_loop(context: JobContext) -> dict[str, Any]:
        return {"thread": threading.current_thread().name, **context.job.payload}

    @handle("in-a-thread")
    def in_a_thread(context: JobContext) -> list[Any]:
        return [threading.current_thread().daemon, context.job.owner_user_id, context.job.attempt]

    one = enqueue("on-the-loop", owner=alice, payload={"n": 1})
    two = enqueue("in-a-thread", owner=alice)
    start()

    assert ended(one).result == {"thread": "job-loop", "n": 1}
    assert ended(two).result == [True, alice.pk, 1]
    assert outcomes(one) == outcomes(two) == ["succeeded"]


def test_a_job_without_a_return_value_has_no_result(handle: Handle, start: Handle) -> None:
    @handle("silent")
    def silent(context: JobContext) -> None: ...

    job = enqueue("silent", owner=None)
    start()
    row = ended(job)
    assert (row.status, row.result, row.lease_owner) == ("succeeded", None, None)


def test_fifty_handlers_wait_for_their_queries_side_by_side(handle: Handle, start: Handle) -> None:
    together = threading.Barrier(50)

    def query() -> int:
        together.wait(10)  # Nobody passes unless all fifty are in a thread of their own at the same time.
        return Job.objects.filter(kind="querying").count()

    @handle("querying", max_attempts=1)
    async def querying(context: JobContext) -> int:
        return await sync_to_async(query)()

    jobs = [enqueue("querying", owner=None) for _ in range(50)]
    start(concurrency=50)
    assert [ended(job).result for job in jobs] == [50] * 50


def test_all_queries_of_one_handler_share_a_thread(handle: Handle, start: Handle) -> None:
    @handle("querying")
    async def querying(context: JobContext) -> bool:
        first = await sync_to_async(threading.get_ident)()
        await Job.objects.acount()
        return first == await sync_to_async(threading.get_ident)()

    job = enqueue("querying", owner=None)
    start()
    assert ended(job).result is True


def test_events_and_progress_arrive_in_order(handle: Handle, start: Handle) -> None:
    @handle("talking")
    async def talking(context: JobContext) -> None:
        for number in range(20):
            context.append_event(f"step-{number}", {"number": number})
            context.progress(number / 20, f"step {number}")

    job = enqueue("talking", owner=None)
    start()
    row = ended(job)
    assert said(job) == [f"step-{number}" for number in range(20)]
    assert (row.progress, row.progress_message) == (19 / 20, "step 19")


def test_events_are_stored_while_the_handler_runs(handle: Handle, start: Handle, released: threading.Event) -> None:
    @handle("talking")
    def talking(context: JobContext) -> None:
        context.append_event("begun")
        released.wait(15)

    job = enqueue("talking", owner=None)
    start()
    eventually(lambda: said(job) == ["begun"], seconds=5)
    assert status_of(job) == "running"


def test_the_context_knows_the_job_and_its_deadline(handle: Handle, start: Handle, alice: User) -> None:
    seen: dict[str, Any] = {}

    @handle("curious", timeout_seconds=60)
    def curious(context: JobContext) -> None:
        seen["job"] = context.job
        seen["deadline"] = context.deadline
        seen["cancelled"] = context.cancelled
        context.raise_if_cancelled()

    job = enqueue("curious", owner=alice, resource=("picture", "7"), payload={"a": [1]})
    start()
    row = ended(job)
    got = seen["job"]
    assert (got.id, got.kind, got.resource_type, got.resource_id) == (job.pk, "curious", "picture", "7")
    assert (got.payload, got.attempt, got.owner_user_id) == ({"a": [1]}, 1, alice.pk)
    assert row.started_at is not None
    assert 55 < (seen["deadline"] - row.started_at).total_seconds() < 61
    assert seen["cancelled"] is False
