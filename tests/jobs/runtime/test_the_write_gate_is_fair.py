"""On SQLite the writers of one process take turns in the order in which they came, the heartbeat ahead of the rest."""

import threading
import time
from collections.abc import Iterator

import pytest

from jobs.runtime.gate import WriteGate
from tests.jobs.runtime.waiting import eventually


@pytest.fixture(autouse=True)
def gated(on_sqlite: None) -> None:
    """PostgreSQL has no gate."""


@pytest.fixture
def queue() -> Iterator["Queue"]:
    queue = Queue()
    yield queue
    for thread in queue.threads:
        thread.join(5)
        assert not thread.is_alive()


class Queue:
    """Threads that wait before a gate, one after the other, and note when they were let in."""

    def __init__(self) -> None:
        self.gate = WriteGate()
        self.entered: list[str] = []
        self.threads: list[threading.Thread] = []

    def add(self, name: str, *, first: bool = False) -> None:
        waiting = len(self.gate._waiting)
        thread = threading.Thread(target=self._enter, args=[name, first])
        self.threads.append(thread)
        thread.start()
        eventually(lambda: len(self.gate._waiting) == waiting + 1)

    def _enter(self, name: str, first: bool) -> None:
        with self.gate.hold(first=first):
            self.entered.append(name)


def test_in_the_order_in_which_they_came(queue: Queue) -> None:
    with queue.gate.hold():
        for name in "abc":
            queue.add(name)
    eventually(lambda: queue.entered == ["a", "b", "c"])


def test_the_heartbeat_goes_first(queue: Queue) -> None:
    with queue.gate.hold():
        for name in "abc":
            queue.add(name)
        queue.add("heartbeat", first=True)
    eventually(lambda: queue.entered == ["heartbeat", "a", "b", "c"])


def test_nobody_slips_in_before_one_who_waits(queue: Queue) -> None:
    with queue.gate.hold():
        queue.add("waiting")
    with queue.gate.hold():
        assert queue.entered == ["waiting"]


def test_a_wait_may_be_limited(queue: Queue) -> None:
    with queue.gate.hold():
        queue.add("a")
        with pytest.raises(TimeoutError), queue.gate.hold(first=True, wait=0.05):
            raise AssertionError("nobody let go")
        queue.add("b")
    eventually(lambda: queue.entered == ["a", "b"])


def test_it_says_for_how_long_it_is_held(queue: Queue) -> None:
    assert queue.gate.busy_seconds() == 0
    with queue.gate.hold():
        started = time.monotonic()
        eventually(lambda: queue.gate.busy_seconds() > 0.05)
        assert queue.gate.busy_seconds() <= time.monotonic() - started + 0.05
    assert queue.gate.busy_seconds() == 0


def test_an_error_inside_lets_go(queue: Queue) -> None:
    with pytest.raises(ValueError), queue.gate.hold():
        raise ValueError
    with queue.gate.hold(wait=0.1):
        pass
