"""Job kinds: the ``job_handler`` decorator, the registry behind it, and what a handler is given and may raise.

A handler is found at start in the ``job_handlers`` module of any installed app.
"""

import inspect
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from jobs.limits import LONGEST_SECONDS, check_limits

if TYPE_CHECKING:
    from jobs.claimed import ClaimedJob
    from jobs.runtime.run import Run

Isolation = Literal["async", "thread"]
Handler = Callable[["JobContext"], Any]


class JobCancelled(Exception):
    """Raised by ``raise_if_cancelled``, or by a handler that finds its resource gone: the job ends cancelled."""


class PermanentError(Exception):
    """An error that another attempt cannot mend: the job fails at once."""


class Snooze(Exception):
    """Raise it to be run again after ``seconds``; the attempt is not charged."""

    def __init__(self, seconds: float) -> None:
        if not 0 <= seconds <= LONGEST_SECONDS:
            raise ValueError(f"Snooze takes 0 to {LONGEST_SECONDS} seconds, not {seconds!r}.")
        super().__init__(f"again in {seconds} s")
        self.seconds = seconds


class LeaseLost(Exception):
    """This attempt may write nothing more: its lease, its deadline or its job is over."""


@dataclass(frozen=True, slots=True)
class HandlerSpec:
    """What the decorator said about one kind; limits are copied to the job's row at enqueue."""

    kind: str
    function: Handler
    isolation: Isolation
    max_attempts: int
    timeout_seconds: float
    priority: int
    reserved: bool
    permanent: tuple[type[BaseException], ...]
    backoff: Callable[[int], float]

    def is_permanent(self, error: BaseException) -> bool:
        return isinstance(error, (PermanentError, *self.permanent))


def default_backoff(attempt: int) -> float:
    """Seconds before the attempt after ``attempt``: 2, 4, 8, 16, 30, 30 …"""
    return float(min(30, 2 ** min(attempt, 5)))


_registry: dict[str, HandlerSpec] = {}


def job_handler(
    kind: str,
    *,
    max_attempts: int = 3,
    timeout_seconds: float = 900,
    isolation: Isolation | None = None,
    priority: int = 0,
    reserved: bool = False,
    backoff: Callable[[int], float] | None = None,
    permanent: Iterable[type[BaseException]] = (),
) -> Callable[[Handler], Handler]:
    """Register the decorated function as *the* handler of ``kind``.

    An ``async def`` runs on the worker's event loop, a plain function in a thread of the worker; ``isolation`` need
    not be said. ``backoff`` maps the attempt that failed to seconds. Errors of the ``permanent`` types are not
    retried. A ``reserved`` kind keeps one slot of a worker for itself.

    Raises ``ValueError`` when the kind is taken or a limit makes no sense.
    """
    if not kind or len(kind) > 100:
        raise ValueError(f"A job kind has 1 to 100 characters: {kind!r}.")
    check_limits(max_attempts=max_attempts, timeout_seconds=timeout_seconds, priority=priority)

    def register(function: Handler) -> Handler:
        if kind in _registry:
            raise ValueError(f'A handler for job kind "{kind}" is already registered.')
        natural: Isolation = "async" if inspect.iscoroutinefunction(function) else "thread"
        if isolation not in (None, natural):
            raise ValueError(f'Job kind "{kind}": isolation={isolation!r} does not fit this function ({natural}).')
        _registry[kind] = HandlerSpec(
            kind=kind,
            function=function,
            isolation=natural,
            max_attempts=max_attempts,
            timeout_seconds=timeout_seconds,
            priority=priority,
            reserved=reserved,
            permanent=tuple(permanent),
            backoff=backoff or default_backoff,
        )
        return function

    return register


def handler_for(kind: str) -> HandlerSpec | None:
    return _registry.get(kind)


def registered_kinds() -> list[str]:
    return sorted(_registry)


def reserved_kinds() -> frozenset[str]:
    return frozenset(kind for kind, spec in _registry.items() if spec.reserved)


def unregister(kind: str) -> None:
    """Forget a kind; for tests that register their own."""
    _registry.pop(kind, None)


class JobContext:
    """What a handler holds of its job. Every write made through it is fenced: after a lost lease it changes nothing."""

    __slots__ = ("_run",)

    def __init__(self, run: "Run") -> None:
        self._run = run

    @property
    def job(self) -> "ClaimedJob":
        """The job as it was claimed: id, owner_user_id, kind, resource_type, resource_id, payload, attempt."""
        return self._run.job

    @property
    def cancelled(self) -> bool:
        """Whether somebody asked for the job to stop, as last read from the database (at most about a second ago)."""
        return self._run.cancel_requested

    @property
    def deadline(self) -> datetime:
        """When this attempt is cut off; pass what is left of it on to every call that may hang."""
        return self._run.deadline_at

    def raise_if_cancelled(self) -> None:
        """The safe point. Reads memory, so it may be called often.

        Raises ``JobCancelled`` after a cancel request, ``LeaseLost`` when this attempt may not write any more.
        """
        self._run.check()
        if self._run.cancel_requested:
            raise JobCancelled("The job was cancelled.")

    def append_event(self, type: str, payload: dict[str, Any] | None = None) -> None:
        """Add an event to the job's log: JSON of at most 256 KB. Buffered, in order, never waits for the database.

        Raises ``PermanentError`` when the payload is no JSON or too large, ``LeaseLost`` as above.
        """
        self._run.append_event(type, payload or {})

    def progress(self, fraction: float, message: str = "") -> None:
        """Say how far the work is: a fraction from 0 to 1 and at most 500 characters. The last word counts."""
        self._run.set_progress(fraction, message)

    def fenced(self) -> AbstractContextManager[None]:
        """A transaction that proves the lease first: what is written inside stands only if the job is still ours.

        Keep it short: it holds the process's write gate. Not inside another atomic block (``RuntimeError``), and from
        async code only inside a ``sync_to_async`` function. Raises ``LeaseLost``, then nothing of it was written.
        """
        return self._run.fenced()

    def finish(self, function: Callable[[], None]) -> None:
        """Run ``function`` in the transaction in which the job succeeds: both stand or fall together.

        It is called in another thread, only if the job is not cancelled and the lease holds, and again if that
        transaction has to be repeated; what it writes stands once. It counts towards the job's time. One a job.
        """
        self._run.finish_with(function)
