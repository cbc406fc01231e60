"""How an attempt may end, and which edges of the state machine that ending may walk, in order. Pure.

The first edge whose guard matches wins: a success that meets a cancel request becomes a cancel, a retry without budget
becomes a failure. So a cancel wins until the finish commits, and no ending needs to read before it writes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from jobs import sql
from jobs.errors import TIMED_OUT, Failure
from jobs.states import CANCELLED, FAILED, QUEUED, SUCCEEDED, Outcome


@dataclass(frozen=True, slots=True)
class Edge:
    """One guarded UPDATE that leaves ``running``; ``outcome`` None: the ending's own."""

    statement: str
    to_status: str
    outcome: str | None = None


SUCCEED: Final = Edge(sql.SUCCEED, SUCCEEDED)
RETRY_LATER: Final = Edge(sql.RETRY_LATER, QUEUED)
FAIL: Final = Edge(sql.FAIL, FAILED)
ACKNOWLEDGE_CANCEL: Final = Edge(sql.ACKNOWLEDGE_CANCEL, CANCELLED, Outcome.CANCELLED)
RELEASE: Final = Edge(sql.RELEASE, QUEUED)
SNOOZE: Final = Edge(sql.SNOOZE, QUEUED)


@dataclass(frozen=True, slots=True)
class Ending:
    """What one attempt wants to be its end. ``again_in`` is seconds; ``result`` is JSON text."""

    outcome: str
    edges: Sequence[Edge]
    result: str | None = None
    failure: Failure | None = None
    again_in: float = 0

    @property
    def error(self) -> str:
        return self.failure.message if self.failure else ""


def succeeded(result: str | None = None) -> Ending:
    return Ending(Outcome.SUCCEEDED, (SUCCEED, ACKNOWLEDGE_CANCEL), result=result)


def failed(failure: Failure, *, again_in: float | None) -> Ending:
    """An error; ``again_in`` None means that another attempt cannot mend it."""
    if again_in is None:
        return Ending(Outcome.FAILED, (FAIL,), failure=failure)
    return Ending(Outcome.FAILED, (RETRY_LATER, FAIL), failure=failure, again_in=again_in)


def timed_out(*, again_in: float) -> Ending:
    return Ending(Outcome.TIMED_OUT, (RETRY_LATER, FAIL), failure=Failure("TimeoutError", TIMED_OUT), again_in=again_in)


def cancelled() -> Ending:
    return Ending(Outcome.CANCELLED, (ACKNOWLEDGE_CANCEL,))


def released() -> Ending:
    """The worker stops: the job goes back as it was, the attempt is not charged."""
    return Ending(Outcome.RELEASED, (RELEASE, ACKNOWLEDGE_CANCEL))


def snoozed(*, again_in: float) -> Ending:
    return Ending(Outcome.SNOOZED, (SNOOZE, ACKNOWLEDGE_CANCEL), again_in=again_in)
