"""A transaction that blocks for ever cannot be ended from outside; the worker says so and asks for a new process."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from jobs.enqueue import enqueue
from jobs.handlers import JobContext
from jobs.models import Job
from tests.jobs.runtime.waiting import ended, eventually

Handle = Callable[..., Any]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def inside() -> threading.Event:
    return threading.Event()


@pytest.fixture
def blocks_in_a_fence(handle: Handle, released: threading.Event, inside: threading.Event) -> None:
    @handle("blocking", max_attempts=1, timeout_seconds=1)
    def blocking(context: JobContext) -> None:
        with context.fenced():
            inside.set()
            released.wait(30)


@pytest.fixture
def blocks_in_a_finish(handle: Handle, released: threading.Event, inside: threading.Event) -> None:
    def write() -> None:
        inside.set()
        released.wait(30)

    @handle("blocking", max_attempts=1)
    def blocking(context: JobContext) -> None:
        context.finish(write)


@pytest.mark.parametrize("where", ["blocks_in_a_fence", "blocks_in_a_finish"])
def test_the_worker_asks_for_a_new_process(
    request: pytest.FixtureRequest, start: Handle, inside: threading.Event, where: str
) -> None:
    request.getfixturevalue(where)
    enqueue("blocking", owner=None)
    runtime = start(lease_seconds=6)
    assert inside.wait(10)
    assert runtime.wants_to_stop.wait(20)
    assert runtime.exit_code == 75


def test_the_supervisor_gives_up_the_leases_that_it_cannot_renew(
    on_sqlite: None, blocks_in_a_fence: None, handle: Handle, start: Handle, inside: threading.Event
) -> None:
    @handle("neighbour")
    def neighbour(context: JobContext) -> None:
        while not inside.wait(0.01):
            pass
        until = time.monotonic() + 20
        while time.monotonic() < until:
            context.raise_if_cancelled()
            time.sleep(0.01)

    enqueue("blocking", owner=None)
    enqueue("neighbour", owner=None)
    runtime = start(lease_seconds=6)
    assert inside.wait(10)
    eventually(lambda: all(run.lost or run.ending for run in runtime._held.runs()), seconds=7)


def test_a_stop_does_not_wait_for_ever(
    blocks_in_a_fence: None, start: Handle, inside: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jobs.runtime.runtime.FLUSH_SECONDS", 1)
    enqueue("blocking", owner=None)
    runtime = start(lease_seconds=6)
    assert inside.wait(10)
    started = time.monotonic()
    runtime.stop()
    assert time.monotonic() - started < 10


def test_others_are_finished_while_one_row_is_locked(
    blocks_in_a_fence: None, handle: Handle, start: Handle, inside: threading.Event
) -> None:
    if connection.vendor == "sqlite":
        pytest.skip("SQLite has one write lock")

    @handle("neighbour")
    async def neighbour(context: JobContext) -> str:
        return "done"

    stuck = enqueue("blocking", owner=None)
    runtime = start(lease_seconds=6)
    assert inside.wait(10)
    eventually(lambda: any(run.ending for run in runtime._held.runs()), seconds=6)
    for _ in range(3):
        assert ended(enqueue("neighbour", owner=None), seconds=10).result == "done"
    assert Job.objects.get(pk=stuck.pk).status == "running"
