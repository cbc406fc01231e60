"""The thread that keeps leases alive and judges attempts: renewals, deadlines, cancel flags, reclaim, a stuck loop.

It shares nothing with the handlers, so a handler that blocks the event loop, or every thread, cannot stop it.
"""

import threading
import time
from collections.abc import Callable

from django.db import IntegrityError, transaction

from jobs import claim, endings, instrument, sql, transitions
from jobs.models import Job
from jobs.runtime.clock import Moment, moment
from jobs.runtime.executors import Executors
from jobs.runtime.gate import gate
from jobs.runtime.held import Held
from jobs.runtime.loops import Loop
from jobs.runtime.registration import Registration
from jobs.runtime.run import Run
from jobs.states import RUNNING

TICK_SECONDS = 1.0
GRACE_SECONDS = 2.0


class Supervisor:
    def __init__(
        self,
        *,
        held: Held,
        executors: Executors,
        registration: Registration,
        lease_seconds: float,
        lock_wait: float,
        on_settled: Callable[[Run], None],
        finisher_busy: Callable[[], float],
        on_stuck: Callable[[str], None],
    ) -> None:
        self._held = held
        self._executors = executors
        self._registration = registration
        self._lease_seconds = lease_seconds
        self._on_settled = on_settled
        self._finisher_busy = finisher_busy
        self._on_stuck = on_stuck
        self._lock_wait = lock_wait
        # A longer pause would let deadlines and leases pass unseen while the database is away.
        self._loop = Loop("supervisor", self._turn, lock_wait=lock_wait, longest_pause=TICK_SECONDS)
        self._hint = threading.Event()
        self._next_beat = 0.0
        self._pinged = False
        self._pinged_at = 0.0

    def start(self) -> None:
        self._loop.start()

    def stop(self, *, wait: float) -> None:
        self._loop.stop(wait=0)
        self._hint.set()
        self._loop.stop(wait=wait)

    def hint(self) -> None:
        """Something was committed: perhaps a cancel request."""
        self._hint.set()

    # --- One turn -----------------------------------------------------------------------------------------------------

    def _turn(self) -> None:
        self._hint.wait(self._seconds_to_next())
        self._hint.clear()
        self._judge(moment())
        try:
            self._beat_or_read_flags()
            self._reclaim()
        finally:
            self._judge(moment())
            self._look_for_what_is_stuck()

    def _seconds_to_next(self) -> float:
        """Until the next deadline (or its grace), beat or tick, whichever comes first."""
        now = moment()
        waits = [TICK_SECONDS, self._next_beat - time.monotonic()]
        for run in self._held.runs():
            if run.ending is None:
                left = run.seconds_left(now)
                waits.append(left + GRACE_SECONDS if run.timed_out else left)
        return max(0.0, min(waits))

    # --- Leases -------------------------------------------------------------------------------------------------------

    def _beat_or_read_flags(self) -> None:
        runs = self._held.runs()
        if time.monotonic() < self._next_beat:
            self._read_cancel_flags(runs)
            return
        self._renew(runs)
        with gate.hold(first=True, wait=self._lock_wait):
            self._registration.beat()
        self._next_beat = time.monotonic() + self._lease_seconds / 3

    def _renew(self, runs: list[Run]) -> None:
        if not runs:
            return
        with gate.hold(first=True, wait=self._lock_wait), transaction.atomic(durable=True):
            asked_at = moment()
            renewal = transitions.renew([run.job for run in runs], lease_seconds=self._lease_seconds)
        for run in runs:
            if run.job.key in renewal.renewed:
                run.confirmed_at = asked_at
                run.cancel_requested |= run.job.key in renewal.cancel_requested
            elif run.job.key in renewal.lost:
                self._give_up(run, "the job is no longer ours")

    def _read_cancel_flags(self, runs: list[Run]) -> None:
        if not runs:
            return
        held = {(run.job.id, run.job.epoch): run for run in runs}
        flagged = Job.objects.filter(
            pk__in=[run.job.id for run in runs], status=RUNNING, cancel_requested_at__isnull=False
        )
        for key in flagged.values_list("id", "epoch"):
            if key in held:
                held[key].cancel_requested = True

    def _reclaim(self) -> None:
        expiry = claim.next_expiry()
        if expiry is not None and expiry < sql.current_time(None):
            try:
                with gate.hold(wait=self._lock_wait), transaction.atomic(durable=True):
                    claim.reclaim()
            except IntegrityError as error:  # What a hook wrote, as the database sees when it commits.
                instrument.worker_error("reclaim", error)
                with gate.hold(wait=self._lock_wait):
                    claim.reclaim_singly()

    # --- Attempts -----------------------------------------------------------------------------------------------------

    def _judge(self, now: Moment) -> None:
        for run in self._held.runs():
            if run.ending is not None:
                continue
            if not run.trusts_lease(now):
                self._give_up(run, "two thirds of the lease have passed without a renewal")
            elif not run.timed_out and run.seconds_left(now) <= 0:
                run.timed_out = True
                run.interrupt()
            elif run.timed_out and run.seconds_left(now) <= -GRACE_SECONDS:
                self._end_without_handler(run)

    def _end_without_handler(self, run: Run) -> None:
        """The handler has not come back: its slot is free again, whatever it still does."""
        if run.settle(endings.timed_out(again_in=run.backoff())):
            self._on_settled(run)

    def _give_up(self, run: Run, why: str) -> None:
        if run.lose():
            instrument.lease_lost(run.job, why)
            self._held.remove(run)
            run.interrupt()

    # --- The worker itself --------------------------------------------------------------------------------------------

    def _look_for_what_is_stuck(self) -> None:
        if self._pinged:
            if time.monotonic() - self._pinged_at > self._lease_seconds:
                self._on_stuck("the event loop has not answered for a lease")
        elif len(self._held):  # Else nothing waits for the loop, and waking it is most of what an idle tick costs.
            self._pinged = True
            self._pinged_at = time.monotonic()
            self._executors.ping(self._answered)
        if self._held.abandoned() + self._executors.blocked_threads() > self._held.concurrency:
            self._on_stuck("more handlers are abandoned than there are slots")
        if self._finisher_busy() > 2 * self._lease_seconds:
            self._on_stuck("a job's finish has blocked for two leases")
        if max(gate.busy_seconds(), self._held.longest_fence()) > 2 * self._lease_seconds:
            self._on_stuck("a transaction of this process has lasted for two leases")

    def _answered(self) -> None:
        self._pinged = False
