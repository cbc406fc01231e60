"""Where handlers run: ``async def`` on one event loop, plain functions on daemon threads.

An executor only runs code and reports how it ended. Deadlines, cancels and leases are the supervisor's.
"""

import asyncio
import threading
from collections.abc import Callable, Sequence
from functools import partial

from asgiref.sync import ThreadSensitiveContext

from jobs import instrument
from jobs.endings import Ending
from jobs.handlers import HandlerSpec, JobContext
from jobs.runtime.outcome import ending_of_error, ending_of_result
from jobs.runtime.run import Run
from jobs.runtime.threads import LazyThread, ThreadPool

# What the runtime is told when a handler's code has come to its end, however late; None: nothing to write.
OnReturn = Callable[[Run, Ending | None], None]


class Executors:
    """Starts handlers; ``on_return`` is called once for each, from the loop or a handler's thread."""

    def __init__(self, on_return: OnReturn) -> None:
        self._on_return = on_return
        self._threads = ThreadPool()
        self._loop = asyncio.new_event_loop()
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopping = False

    def start(self) -> None:
        threading.Thread(target=self._work, name="job-loop", daemon=True).start()

    def _work(self) -> None:
        while not self._stopping:
            try:
                self._loop.run_forever()
            except BaseException as error:  # A handler's own task that exits is thrown out of the loop: go on.
                instrument.worker_error("loop", error)
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    def stop(self) -> None:
        """Let go of the loop and of idle threads; what is blocked is left to the end of the process."""
        self._stopping = True
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._threads.close()

    def blocked_threads(self) -> int:
        """How many threads still run what a coroutine started on them before it was cut off."""
        return self._threads.blocked()

    def ping(self, answer: Callable[[], None]) -> None:
        """``answer`` is called by the event loop as soon as it comes round to it."""
        self._loop.call_soon_threadsafe(answer)

    def run(self, runs: Sequence[Run]) -> None:
        on_loop = []
        for run in runs:
            assert run.spec is not None
            if run.spec.isolation == "async":
                on_loop.append(run)
            else:
                self._in_thread(run, run.spec)
        if on_loop:
            self._loop.call_soon_threadsafe(self._start_tasks, on_loop)

    # --- Plain functions ----------------------------------------------------------------------------------------------

    def _in_thread(self, run: Run, spec: HandlerSpec) -> None:
        thread = self._threads.take()
        thread.submit(self._call, run, spec)
        self._threads.give_back(thread)

    def _call(self, run: Run, spec: HandlerSpec) -> None:
        ending: Ending | None
        try:
            ending = ending_of_result(spec.function(JobContext(run)))
        except BaseException as error:  # SystemExit too: a handler ends its attempt, never its worker.
            ending = ending_of_error(run, error)
        self._on_return(run, ending)

    # --- Coroutines ---------------------------------------------------------------------------------------------------

    def _start_tasks(self, runs: Sequence[Run]) -> None:
        for run in runs:
            task = self._loop.create_task(_await_handler(run, LazyThread(self._threads), self._on_return))
            run.interrupt = partial(self._loop.call_soon_threadsafe, task.cancel)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)


async def _await_handler(run: Run, thread: LazyThread, on_return: OnReturn) -> None:
    ending: Ending | None
    try:
        # A thread of its own for each handler's ORM calls; else all of them would queue behind a single one.
        async with ThreadSensitiveContext(executor=thread):
            assert run.spec is not None
            run.check()  # The loop may have been busy for longer than this attempt lasts.
            ending = ending_of_result(await run.spec.function(JobContext(run)))
    except BaseException as error:
        ending = ending_of_error(run, error)
    thread.give_back()
    on_return(run, ending)
