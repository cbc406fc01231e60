"""One attempt in the memory of its worker: what it was given, whether it is still the one, how it ended.

The database has the last word on every write; this object keeps a handler that is over from trying.
"""

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from typing import Any

from django.db import InterfaceError, OperationalError, connection, transaction

from jobs import instrument, sql
from jobs.claimed import ClaimedJob
from jobs.endings import Ending, timed_out
from jobs.events import Event, Progress
from jobs.handlers import HandlerSpec, LeaseLost, PermanentError, default_backoff
from jobs.limits import LONGEST_SECONDS
from jobs.masking import mask_text
from jobs.passing import passes
from jobs.payloads import InvalidJson, to_json
from jobs.runtime.buffer import EventBuffer
from jobs.runtime.clock import Moment, moment, passed
from jobs.runtime.gate import gate, lock_wait


class Run:
    def __init__(
        self,
        job: ClaimedJob,
        *,
        spec: HandlerSpec | None,
        lease_seconds: float,
        claimed_at: Moment,
        on_said: Callable[["Run"], None],
    ) -> None:
        self.job = job
        self.spec = spec
        self.lease_seconds = lease_seconds
        self.started_at = claimed_at
        self.confirmed_at = claimed_at
        self.deadline_at = datetime.fromtimestamp(claimed_at.wall + min(job.timeout_seconds, LONGEST_SECONDS), UTC)
        self.said = EventBuffer(job)
        self.cancel_requested = False
        self.timed_out = False
        self.lost = False
        self.ending: Ending | None = None
        self.domain: Callable[[], None] | None = None
        # Since when the handler is inside ``fenced()``.
        self.fenced_since: float | None = None
        # Set by the executor: stops the handler's code where that is possible.
        self.interrupt: Callable[[], object] = lambda: None
        self._on_said = on_said
        self._mutex = threading.Lock()

    # --- Is this attempt still the one? -------------------------------------------------------------------------------

    @property
    def past_deadline(self) -> bool:
        """By the clock, not by the supervisor's word: it may be waiting for the database."""
        return self.timed_out or self.seconds_left(moment()) <= 0

    @property
    def over(self) -> bool:
        return self.lost or self.ending is not None or self.past_deadline

    def check(self) -> None:
        """Raises ``LeaseLost`` when nothing may be written for this attempt any more."""
        if self.over:
            raise LeaseLost(f"Job {self.job.id}: attempt {self.job.attempt} (epoch {self.job.epoch}) is over.")

    def seconds_left(self, now: Moment) -> float:
        """Until the deadline, by the boot-time clock: a wall clock that is set forward ends nobody's work."""
        return self.job.timeout_seconds - (now.boot - self.started_at.boot)

    def trusts_lease(self, now: Moment) -> bool:
        """Whether less than two thirds of the lease have passed since it was last confirmed, by both clocks."""
        return passed(self.confirmed_at, now) < self.lease_seconds * 2 / 3

    def backoff(self) -> float:
        """Seconds until the next attempt, as the kind says; where that raises or makes no sense, the default."""
        wanted = self.spec.backoff if self.spec else default_backoff
        try:
            seconds = float(wanted(self.job.attempt))
            if 0 <= seconds <= 366 * 86_400:
                return seconds
        except Exception as error:
            instrument.worker_error("backoff", error)
        return default_backoff(self.job.attempt)

    # --- The end: whoever settles first decides -----------------------------------------------------------------------

    def settle(self, ending: Ending) -> bool:
        """Decide how this attempt ends; False when that is decided. Past the deadline there is one end only."""
        with self._mutex:
            if self.lost or self.ending is not None:
                return False
            self.ending = timed_out(again_in=self.backoff()) if self.past_deadline else ending
            return True

    def resettle(self, ending: Ending) -> None:
        """The settled ending cannot be written, because the domain refuses it: this one takes its place."""
        with self._mutex:
            self.ending, self.domain = ending, None

    def lose(self) -> bool:
        """The lease is gone, nothing more will be written; False when the end was decided before."""
        with self._mutex:
            if self.lost or self.ending is not None:
                return False
            self.lost = True
            return True

    # --- What the handler says, through its context -------------------------------------------------------------------

    def append_event(self, type: str, payload: dict[str, Any]) -> None:
        if not 1 <= len(type) <= 100:
            raise PermanentError(f"An event's type has 1 to 100 characters, not {len(type)}.")
        type = mask_text(type)[:100]
        try:
            text = to_json(payload, what=f"payload of event {type!r}", mask=True)
        except InvalidJson as error:
            raise PermanentError(str(error)) from None
        self.check()
        self.said.add(Event(type, text))
        self._on_said(self)

    def set_progress(self, fraction: float, message: str) -> None:
        if not math.isfinite(fraction):
            raise PermanentError(f"Progress is a fraction from 0 to 1, not {fraction!r}.")
        self.check()
        self.said.set_progress(Progress(min(1.0, max(0.0, float(fraction))), mask_text(message)[:500]))
        self._on_said(self)

    def finish_with(self, function: Callable[[], None]) -> None:
        self.check()
        if self.domain is not None:
            raise PermanentError("A job has one finish; it was given a second.")
        self.domain = function

    @contextmanager
    def fenced(self) -> Iterator[None]:
        """A durable transaction whose first statement proves the lease and locks the job row."""
        if connection.in_atomic_block and not _only_of_a_test_case():
            raise RuntimeError("fenced() is a transaction of its own; it cannot be used inside another atomic block.")
        self.check()
        try:
            with sql.short_lock_wait(lock_wait(self.lease_seconds)), self.said.writing:
                said_before, sent = len(self.said), False
                try:
                    with self._begun():
                        self.fenced_since = time.monotonic()
                        self._prove_lease()
                        yield
                        self.check()
                        self.said.write()
                        sent = True
                except BaseException as error:
                    # A commit that was not answered may stand; what it wrote would then not be written again.
                    if not (sent and isinstance(error, (OperationalError, InterfaceError))):
                        self.said.forget_after(said_before)
                    raise
                finally:
                    self.fenced_since = None
                self.said.written()
        finally:
            if not self.said.empty:  # Said before a block that failed, and passed over by the store meanwhile.
                self._on_said(self)

    @contextmanager
    def _begun(self) -> Iterator[None]:
        """The gate and a transaction. While others keep the database, it asks again as long as the lease is ours."""
        while True:
            with ExitStack() as stack:
                stack.enter_context(gate.hold())
                try:
                    stack.enter_context(transaction.atomic(durable=True))
                except OperationalError as error:
                    # Nothing of the handler's has run in it yet: a busy database is none of its faults.
                    if not passes(error) or not self.trusts_lease(moment()):
                        raise
                else:
                    yield
                    return
            self.check()

    def _prove_lease(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(sql.FENCE, {"id": self.job.id, "epoch": self.job.epoch, "worker": self.job.worker})
            if cursor.rowcount != 1:
                raise LeaseLost(f"Job {self.job.id}: epoch {self.job.epoch} is over; nothing is written for it.")


def _only_of_a_test_case() -> bool:
    """Django wraps a TestCase in an atomic block of its own, which ``durable`` does not count either."""
    return all(getattr(block, "_from_testcase", False) for block in connection.atomic_blocks)
