"""Wake-ups, due times, slots and the end of a burst; an idle worker takes no write lock."""

import threading
import time
from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from jobs.enqueue import enqueue
from jobs.handlers import JobContext
from jobs.models import Job
from tests.jobs.runtime.intruder import Intruder
from tests.jobs.runtime.waiting import ended, eventually, status_of

Handle = Callable[..., Any]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def starts(handle: Handle) -> dict[str, float]:
    """When each ``timed`` job began, by the monotonic clock."""
    begun: dict[str, float] = {}

    @handle("timed")
    async def timed(context: JobContext) -> None:
        begun[context.job.id] = time.monotonic()

    return begun


def test_an_enqueue_in_this_process_starts_at_once(starts: dict[str, float], start: Handle) -> None:
    runtime = start(poll_seconds=30)
    assert runtime.wait_until_idle(seconds=10)
    waits = []
    for _ in range(20):
        before = time.monotonic()
        job = enqueue("timed", owner=None)
        ended(job, seconds=5)
        waits.append(starts[job.pk] - before)
    assert sorted(waits)[10] < 0.05


def test_an_enqueue_starts_only_after_its_commit(starts: dict[str, float], start: Handle) -> None:
    runtime = start(poll_seconds=30)
    assert runtime.wait_until_idle(seconds=10)
    with transaction.atomic():
        job = enqueue("timed", owner=None)
        assert not starts
    ended(job, seconds=5)


def test_an_enqueue_elsewhere_is_seen_by_the_data_version(
    on_sqlite: None, starts: dict[str, float], start: Handle, intruder: Intruder
) -> None:
    job = enqueue("timed", owner=None, available_at=timezone.now() + timedelta(hours=1))
    runtime = start(poll_seconds=30)
    assert runtime.wait_until_idle(seconds=10)
    before = time.monotonic()
    intruder.make_ready(job.pk)
    ended(job, seconds=5)
    assert starts[job.pk] - before < 0.5


def test_an_enqueue_elsewhere_is_seen_at_the_next_poll(
    starts: dict[str, float], start: Handle, intruder: Intruder
) -> None:
    job = enqueue("timed", owner=None, available_at=timezone.now() + timedelta(hours=1))
    runtime = start(poll_seconds=0.3)
    assert runtime.wait_until_idle(seconds=10)
    intruder.make_ready(job.pk)
    ended(job, seconds=5)


def test_a_delayed_job_starts_when_it_is_due(starts: dict[str, float], start: Handle) -> None:
    runtime = start(poll_seconds=30)
    assert runtime.wait_until_idle(seconds=10)
    before = time.monotonic()
    job = enqueue("timed", owner=None, available_at=timezone.now() + timedelta(seconds=0.7))
    ended(job, seconds=5)
    assert 0.65 < starts[job.pk] - before < 1.1


def test_a_delayed_job_starts_when_it_is_due_although_another_runs_and_talks(
    handle: Handle, starts: dict[str, float], start: Handle, released: threading.Event
) -> None:
    @handle("talking")
    def talking(context: JobContext) -> None:
        while not released.wait(0.02):
            context.append_event("tick")

    runtime = start(poll_seconds=30)
    assert runtime.wait_until_idle(seconds=10)
    talker = enqueue("talking", owner=None)
    eventually(lambda: status_of(talker) == "running")
    before = time.monotonic()
    job = enqueue("timed", owner=None, available_at=timezone.now() + timedelta(seconds=0.7))
    ended(job, seconds=5)
    assert 0.65 < starts[job.pk] - before < 1.1


def test_a_retry_starts_when_its_pause_is_over(handle: Handle, start: Handle) -> None:
    tries: list[float] = []

    @handle("failing", max_attempts=3, backoff=lambda attempt: 0.3)
    def failing(context: JobContext) -> None:
        tries.append(time.monotonic())
        raise ValueError("no")

    job = enqueue("failing", owner=None)
    start(poll_seconds=30)
    ended(job, seconds=10)
    assert all(0.25 < later - earlier < 0.8 for earlier, later in pairwise(tries))


def test_more_jobs_than_slots_all_run(starts: dict[str, float], start: Handle) -> None:
    with transaction.atomic():
        jobs = [enqueue("timed", owner=None) for _ in range(200)]
    runtime = start(concurrency=3, poll_seconds=30)
    assert runtime.wait_until_idle(seconds=20)
    assert len(starts) == 200
    assert set(Job.objects.filter(pk__in=[job.pk for job in jobs]).values_list("status", "epoch")) == {("succeeded", 1)}


def test_a_reserved_kind_finds_a_slot_while_others_wait(
    handle: Handle, start: Handle, released: threading.Event
) -> None:
    running: list[str] = []

    @handle("import")
    def long_import(context: JobContext) -> None:
        running.append(context.job.id)
        released.wait(20)

    @handle("diagnosis", reserved=True, priority=100)
    async def diagnosis(context: JobContext) -> str:
        return "found"

    for _ in range(10):
        enqueue("import", owner=None)
    start(concurrency=3)
    eventually(lambda: len(running) == 2)
    assert ended(enqueue("diagnosis", owner=None), seconds=2).result == "found"
    assert len(running) == 2


def test_priority_first_then_age(handle: Handle, start: Handle) -> None:
    order: list[str] = []

    @handle("ordered")
    async def ordered(context: JobContext) -> None:
        order.append(context.job.payload["name"])

    with transaction.atomic():
        for name, priority in [("a", 0), ("b", 0), ("c", 5), ("d", 0), ("e", 5)]:
            enqueue("ordered", owner=None, priority=priority, payload={"name": name})
    runtime = start(concurrency=1)
    assert runtime.wait_until_idle(seconds=10)
    assert order == ["c", "e", "a", "b", "d"]


def test_a_kind_that_is_not_served_is_left_alone(handle: Handle, starts: dict[str, float], start: Handle) -> None:
    @handle("other")
    async def other(context: JobContext) -> None: ...

    left, taken = enqueue("other", owner=None), enqueue("timed", owner=None)
    runtime = start(kinds=["timed"])
    ended(taken)
    assert runtime.wait_until_idle(seconds=10)
    assert status_of(left) == "queued"


def test_idle_means_nothing_ready_and_nothing_held(handle: Handle, start: Handle, released: threading.Event) -> None:
    @handle("first")
    def first(context: JobContext) -> None:
        released.wait(20)
        enqueue("second", owner=None)

    @handle("second")
    def second(context: JobContext) -> None:
        context.finish(lambda: None)

    job = enqueue("first", owner=None)
    enqueue("second", owner=None, available_at=timezone.now() + timedelta(hours=1))
    runtime = start()
    assert not runtime.wait_until_idle(seconds=0.5)
    released.set()
    assert runtime.wait_until_idle(seconds=10)
    assert status_of(job) == "succeeded"
    assert sorted(Job.objects.filter(kind="second").values_list("status", flat=True)) == ["queued", "succeeded"]
    # Work that comes later is waited for.
    enqueue("second", owner=None)
    assert runtime.wait_until_idle(seconds=10)
    assert Job.objects.filter(kind="second", status="succeeded").count() == 2


def test_a_worker_that_was_woken_is_not_idle_until_it_has_looked(starts: dict[str, float], start: Handle) -> None:
    runtime = start(poll_seconds=30)
    assert runtime.wait_until_idle(seconds=10)
    with runtime._store._changed:  # Its thread cannot go on.
        runtime._store.wake()
        assert not runtime.wait_until_idle(seconds=0)
    assert runtime.wait_until_idle(seconds=10)


def test_an_idle_worker_takes_no_write_lock(
    on_sqlite: None, starts: dict[str, float], start: Handle, intruder: Intruder, caplog: pytest.LogCaptureFixture
) -> None:
    """With the lock in another hand it would run into its lock wait, and say so; a heartbeat is 10 s away."""
    enqueue("timed", owner=None, available_at=timezone.now() + timedelta(hours=1))
    runtime = start(poll_seconds=0.05, lease_seconds=30)
    assert runtime.wait_until_idle(seconds=10)
    looks = 0
    original = runtime._store._worth_claiming

    def counting() -> bool:
        nonlocal looks
        looks += 1
        return original()

    runtime._store._worth_claiming = counting
    eventually(lambda: connection.vendor == "sqlite" and runtime._supervisor._next_beat > time.monotonic() + 5)
    intruder.hold()
    eventually(lambda: looks >= 10, seconds=5)
    intruder.let_go()
    assert "background.worker.error" not in caplog.text
