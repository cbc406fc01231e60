"""Daemon threads that handlers run on. A pool's threads would be joined at exit, and a blocked one would hold it up."""

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

from django.db import connections, reset_queries

from jobs import instrument

BLOCKED_AFTER_SECONDS = 2.0
# A call to make, or None: the thread's work is done.
_Call = tuple["Future[Any]", Callable[..., Any], tuple[Any, ...], dict[str, Any]]


class HandlerThread(Executor):
    """One thread that runs one call after the other, each with its own result; ORM connections stay with the thread."""

    def __init__(self, number: int) -> None:
        self._calls: queue.SimpleQueue[_Call | None] = queue.SimpleQueue()
        threading.Thread(target=self._work, name=f"job-handler-{number}", daemon=True).start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        self._calls.put((future, fn, args, kwargs))
        return future

    def end(self) -> None:
        """After what was submitted so far: close the connections and leave."""
        self._calls.put(None)

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            future, function, args, kwargs = call
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(function(*args, **kwargs))
            except BaseException as error:
                future.set_exception(error)
            del call, future, function, args, kwargs  # An idle thread keeps nothing of its last job alive.
        connections.close_all()


def leave_clean() -> None:
    """After a handler, in its own thread: no transaction, no stale or half-broken connection for the next one."""
    reset_queries()
    for connection in connections.all(initialized_only=True):
        try:
            if connection.in_atomic_block or not connection.get_autocommit():
                connection.close()
                # One that was closed inside a transaction stays unusable for ever; the next use makes a new one.
                del connections[connection.alias]
            else:
                connection.close_if_unusable_or_obsolete()
        except Exception as error:
            instrument.worker_error("connection", error)


class ThreadPool:
    """Threads by need: an idle one is used again, a blocked one is never waited for."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._idle: list[HandlerThread] = []
        self._made = 0
        self._closed = False
        # Since when threads of coroutines that are over have been expected back.
        self._expected: dict[HandlerThread, float] = {}

    def take(self) -> HandlerThread:
        with self._mutex:
            if self._idle:
                return self._idle.pop()
            self._made += 1
            return HandlerThread(self._made)

    def give_back(self, thread: HandlerThread) -> None:
        """The thread is used again once it has come to the end of what it runs now, and has cleaned up."""
        thread.submit(leave_clean).add_done_callback(lambda _: self._put(thread))

    def expect_back(self, thread: HandlerThread) -> None:
        """As ``give_back``, of a thread whose handler is over: if it does not come, it is blocked."""
        with self._mutex:
            self._expected[thread] = time.monotonic()
        self.give_back(thread)

    def blocked(self) -> int:
        with self._mutex:
            return sum(time.monotonic() - since > BLOCKED_AFTER_SECONDS for since in self._expected.values())

    def _put(self, thread: HandlerThread) -> None:
        with self._mutex:
            self._expected.pop(thread, None)
            if self._closed:
                thread.end()
            else:
                self._idle.append(thread)

    def close(self) -> None:
        """End the idle threads now, and each other one when it comes back."""
        with self._mutex:
            self._closed = True
            for thread in self._idle:
                thread.end()
            self._idle.clear()


class LazyThread(Executor):
    """The thread of one async handler, taken only if it ever calls ``sync_to_async``; all its calls share it."""

    def __init__(self, pool: ThreadPool) -> None:
        self._pool = pool
        self._thread: HandlerThread | None = None

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        if self._thread is None:
            self._thread = self._pool.take()
        return self._thread.submit(fn, *args, **kwargs)

    def give_back(self) -> None:
        if self._thread is not None:
            self._pool.expect_back(self._thread)
