"""A database that fails: at a statement, at a commit, or after a commit whose reply is then lost."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import OperationalError, connections
from django.db.backends.utils import CursorWrapper


class Faults:
    """Strikes in the threads of the runtime and of its handlers only, ``times`` times, and counts."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self._mutex = threading.Lock()
        self._left = 0
        self.struck = 0

    def at_statement(self, part: str, *, times: int) -> None:
        """A statement that contains ``part`` raises before it is run."""
        self._left = times
        for name in ("_execute", "_executemany"):
            self._wrap(CursorWrapper, name, lambda arguments: part in arguments[0], before=True)

    def at_commit(self, thread: str, *, times: int, answered: bool) -> None:
        """A commit in a thread of this name raises: before it, or (``answered`` False) once it stands."""
        self._left = times
        self._wrap(type(connections["default"]), "_commit", lambda arguments: self._is(thread), before=answered)

    def _is(self, thread: str) -> bool:
        return threading.current_thread().name.startswith(thread)

    def _wrap(self, owner: Any, name: str, applies: Callable[[Any], bool], *, before: bool) -> None:
        original = getattr(owner, name)

        def failing(this: Any, *arguments: Any, **named: Any) -> Any:
            strikes = applies(arguments) and self._is("job-") and self._take()
            if strikes and before:
                raise OperationalError("the test took the database away")
            answer = original(this, *arguments, **named)
            if strikes:
                raise OperationalError("the test lost the reply")
            return answer

        self._monkeypatch.setattr(owner, name, failing)

    def _take(self) -> bool:
        with self._mutex:
            if self._left == 0:
                return False
            self._left -= 1
            self.struck += 1
            return True


@contextmanager
def turned(clock: Any, monkeypatch: pytest.MonkeyPatch, *, boot: float = 0, wall: float = 0) -> Iterator[None]:
    """The worker's own clocks are ``boot`` and ``wall`` seconds ahead of what they were."""
    real = clock.time

    class Turned:
        @staticmethod
        def clock_gettime(which: int) -> float:
            return real.clock_gettime(which) + boot

        @staticmethod
        def time() -> float:
            return real.time() + wall

    with monkeypatch.context() as patch:
        patch.setattr(clock, "time", Turned)
        yield
