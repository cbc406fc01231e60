"""Leases are renewed while a handler runs; one that is lost, or was not renewed in time, ends the attempt unwritten."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from jobs.enqueue import enqueue
from jobs.handlers import JobContext, LeaseLost
from jobs.models import Job, JobEvent
from jobs.runtime import clock
from jobs.runtime.clock import Moment, passed
from jobs.runtime.gate import gate
from tests.domain.models import Picture
from tests.jobs.runtime.faults import turned
from tests.jobs.runtime.intruder import Intruder
from tests.jobs.runtime.waiting import ended, eventually, outcomes, said, status_of

Handle = Callable[..., Any]
pytestmark = pytest.mark.django_db(transaction=True)
LEASE_SECONDS = 30
SHORT_LEASE_SECONDS = 6


class Sleeper:
    """A handler that sleeps through the loss of its lease in its first attempt, and then tries everything."""

    def __init__(self, released: threading.Event) -> None:
        self.released = released
        self.begun = threading.Event()
        self.refused: list[str] = []
        self.tried = threading.Event()

    def __call__(self, context: JobContext) -> str:
        if context.job.epoch > 1:
            context.append_event("second")
            return "second"
        context.finish(lambda: Picture.objects.create())
        self.begun.set()
        self.released.wait(20)
        for name, write in {
            "event": lambda: context.append_event("late"),
            "progress": lambda: context.progress(1),
            "check": context.raise_if_cancelled,
            "fenced": lambda: context.fenced().__enter__(),
        }.items():
            try:
                write()
            except LeaseLost:
                self.refused.append(name)
        self.tried.set()
        return "late"


@pytest.fixture
def sleeper(handle: Handle, released: threading.Event) -> Sleeper:
    sleeper = Sleeper(released)
    handle("sleeping")(sleeper.__call__)
    return sleeper


@pytest.mark.parametrize("clocks", [{"wall": LEASE_SECONDS * 0.7}, {"boot": LEASE_SECONDS * 0.7}])
def test_a_jump_of_either_clock_gives_the_attempt_up(
    start: Handle,
    sleeper: Sleeper,
    intruder: Intruder,
    monkeypatch: pytest.MonkeyPatch,
    released: threading.Event,
    clocks: dict[str, float],
) -> None:
    job = enqueue("sleeping", owner=None)
    runtime = start(lease_seconds=LEASE_SECONDS)
    assert sleeper.begun.wait(10)
    with turned(clock, monkeypatch, **clocks):
        eventually(lambda: len(runtime._held) == 0, seconds=8)
        before = Job.objects.filter(pk=job.pk).values().get()
        released.set()
        assert sleeper.tried.wait(10)
        assert sleeper.refused == ["event", "progress", "check", "fenced"]
        eventually(lambda: runtime._held.abandoned() == 0)
        assert Job.objects.filter(pk=job.pk).values().get() == before
    intruder.expire(job.pk)
    assert ended(job).result == "second"
    assert outcomes(job) == ["lost", "succeeded"]
    assert said(job) == ["second"]
    assert not Picture.objects.exists()


def test_a_clock_that_is_set_back_ends_nothing(
    start: Handle, sleeper: Sleeper, monkeypatch: pytest.MonkeyPatch, released: threading.Event
) -> None:
    job = enqueue("sleeping", owner=None)
    runtime = start(lease_seconds=SHORT_LEASE_SECONDS)
    assert sleeper.begun.wait(10)
    with turned(clock, monkeypatch, wall=-3600):
        first = Job.objects.get(pk=job.pk).lease_expires_at
        eventually(lambda: Job.objects.get(pk=job.pk).lease_expires_at != first, seconds=5)
        assert len(runtime._held) == 1
        released.set()
        assert ended(job).result == "late"


def test_a_job_that_was_taken_over_is_given_up(
    start: Handle, sleeper: Sleeper, intruder: Intruder, released: threading.Event
) -> None:
    job = enqueue("sleeping", owner=None)
    runtime = start(lease_seconds=LEASE_SECONDS)
    assert sleeper.begun.wait(10)
    intruder.take_over(job.pk)
    runtime._supervisor._next_beat = 0
    runtime._supervisor.hint()
    eventually(lambda: len(runtime._held) == 0, seconds=8)  # The next beat would be in ten.
    before = Job.objects.filter(pk=job.pk).values().get()
    released.set()
    assert sleeper.tried.wait(10)
    assert sleeper.refused == ["event", "progress", "check", "fenced"]
    eventually(lambda: runtime._held.abandoned() == 0)
    assert Job.objects.filter(pk=job.pk).values().get() == before
    assert (said(job), Picture.objects.count()) == ([], 0)


def test_a_result_before_the_loss_is_noticed_changes_nothing(
    start: Handle, sleeper: Sleeper, intruder: Intruder, released: threading.Event, caplog: pytest.LogCaptureFixture
) -> None:
    job = enqueue("sleeping", owner=None)
    runtime = start(lease_seconds=30)
    assert sleeper.begun.wait(10)
    intruder.take_over(job.pk)
    before = Job.objects.filter(pk=job.pk).values().get()
    released.set()
    eventually(lambda: len(runtime._held) == 0)
    assert Job.objects.filter(pk=job.pk).values().get() == before
    assert (said(job), Picture.objects.count()) == ([], 0)
    assert "background.job.late_result" in caplog.text


def test_what_was_said_before_a_loss_that_only_we_noticed_is_not_written(
    handle: Handle,
    start: Handle,
    intruder: Intruder,
    monkeypatch: pytest.MonkeyPatch,
    released: threading.Event,
) -> None:
    """The database is locked while two thirds of the lease pass; what waited is dropped when it comes back."""
    begun = threading.Event()

    @handle("talking")
    def talking(context: JobContext) -> None:
        begun.wait(20)
        context.append_event("said")
        released.wait(20)

    @handle("quick")
    def quick(context: JobContext) -> None: ...

    job = enqueue("talking", owner=None)
    runtime = start(lease_seconds=SHORT_LEASE_SECONDS)
    eventually(lambda: status_of(job) == "running")
    intruder.hold()
    begun.set()
    with turned(clock, monkeypatch, boot=SHORT_LEASE_SECONDS * 0.7):
        eventually(lambda: len(runtime._held) == 0, seconds=5)
        intruder.let_go()
        released.set()
        eventually(lambda: runtime._held.abandoned() == 0)
        ended(enqueue("quick", owner=None))
        eventually(lambda: not runtime._store._said)
        ended(enqueue("quick", owner=None))
    # By now its lease may have expired and a second attempt may have begun.
    assert not JobEvent.objects.filter(job=job, epoch=1).exists()


def test_a_claim_that_waited_long_for_its_turn_has_a_whole_lease(
    handle: Handle, start: Handle, monkeypatch: pytest.MonkeyPatch, on_sqlite: None
) -> None:
    @handle("quick")
    def quick(context: JobContext) -> str:
        runtime._supervisor._pinged = False
        eventually(lambda: runtime._supervisor._pinged, what="a turn of the supervisor")
        context.raise_if_cancelled()
        return "done"

    runtime = start(lease_seconds=LEASE_SECONDS, poll_seconds=30)
    assert runtime.wait_until_idle(seconds=10)
    runtime._executors.ping = lambda answer: None
    with gate.hold():
        job = enqueue("quick", owner=None)
        eventually(lambda: gate._waiting, what="the claim at the gate")
        turn = turned(clock, monkeypatch, boot=LEASE_SECONDS * 0.7)
        turn.__enter__()
    try:
        assert ended(job).result == "done"
        assert outcomes(job) == ["succeeded"]
    finally:
        turn.__exit__(None, None, None)


def test_the_clock_that_saw_more_counts() -> None:
    assert passed(Moment(10, 1000), Moment(12, 1009)) == 9
    assert passed(Moment(10, 1000), Moment(19, 900)) == 9
