"""``BackgroundJobRuntime``: the threads of one worker process, put together, started once and drained."""

import threading
import time
from collections.abc import Sequence

from jobs import instrument
from jobs.claim import Serves
from jobs.claimed import ClaimedJob
from jobs.endings import Ending, released
from jobs.handlers import handler_for, registered_kinds
from jobs.models import Worker
from jobs.runtime import wakeup
from jobs.runtime.clock import Moment
from jobs.runtime.executors import Executors
from jobs.runtime.finisher import Finisher
from jobs.runtime.gate import gate, lock_wait
from jobs.runtime.held import Held
from jobs.runtime.outcome import ending_without_handler
from jobs.runtime.registration import Registration
from jobs.runtime.run import Run
from jobs.runtime.store import Store
from jobs.runtime.supervisor import Supervisor
from jobs.states import Outcome

MIN_LEASE_SECONDS = 6
# A day: what a dead worker held would be missed for longer still.
MAX_LEASE_SECONDS = 86_400
MIN_POLL_SECONDS = 0.05
# A worker that cannot go on as it is asks its own supervisor for a new process (EX_TEMPFAIL).
EXIT_RESTART = 75
FLUSH_SECONDS = 5.0


class BackgroundJobRuntime:
    """Claims jobs and runs them until stopped.

    ``kinds`` None serves every kind of the project and fails those that it does not know. Raises ``ValueError`` for a
    concurrency below 1, a lease below 6 s, a poll below 0.05 s, a negative drain, or a kind that no handler serves.
    """

    def __init__(
        self,
        *,
        concurrency: int = 2,
        kinds: Sequence[str] | None = None,
        lease_seconds: float = 30,
        poll_seconds: float = 1,
        drain_seconds: float = 30,
    ) -> None:
        _check(concurrency, kinds, lease_seconds, poll_seconds, drain_seconds)
        self._drain_seconds = drain_seconds
        serves = Serves(None if kinds is None else frozenset(kinds))
        wait = lock_wait(lease_seconds)
        self._lease_seconds = lease_seconds
        self._held = Held(concurrency=concurrency, serves=serves)
        self._registration = Registration(
            kinds=sorted(kinds or []), concurrency=concurrency, lease_seconds=lease_seconds
        )
        self._executors = Executors(self._handler_returned)
        self._finisher = Finisher(held=self._held, lock_wait=wait, on_finished=self._wake)
        self._supervisor = Supervisor(
            held=self._held,
            executors=self._executors,
            registration=self._registration,
            lease_seconds=lease_seconds,
            lock_wait=wait,
            on_settled=self._settled,
            finisher_busy=self._finisher.busy_seconds,
            on_stuck=self._stuck,
        )
        self._store = Store(
            worker_id=self._registration.worker_id,
            serves=serves,
            held=self._held,
            lease_seconds=lease_seconds,
            poll_seconds=poll_seconds,
            lock_wait=wait,
            launch=self._launch,
            on_commit_elsewhere=self._supervisor.hint,
        )
        self._mutex = threading.Lock()
        self._started = False
        self._hurry = threading.Event()
        # Set when the worker should stop of itself; the exit code then says why.
        self.wants_to_stop = threading.Event()
        self.exit_code = 0

    @property
    def worker_id(self) -> str:
        return self._registration.worker_id

    @property
    def held(self) -> int:
        """How many jobs it has in its hands."""
        return len(self._held)

    # --- Start and stop -----------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to claim; a second call changes nothing."""
        with self._mutex:
            if self._started:
                return
            self._started = True
        wakeup.listen(self._wake)
        self._executors.start()
        self._supervisor.start()
        self._finisher.start()
        self._store.start()
        instrument.worker("started", worker_id=self.worker_id, concurrency=self._held.concurrency)

    def stop(self) -> None:
        """Drain: claim nothing more, wait for what runs, give the rest back uncharged; the heartbeat stops last."""
        with self._mutex:
            if not self._started:
                return
            self._started = False
        instrument.worker("draining", worker_id=self.worker_id, held=len(self._held))
        self._registration.state = Worker.State.DRAINING
        self._store.stop_claiming()
        self._wait_until_empty(self._drain_seconds, or_hurry=True)
        interrupted = self._give_back()
        self._wait_until_empty(FLUSH_SECONDS, or_hurry=False)
        for run in interrupted:
            run.interrupt()
        wakeup.unlisten(self._wake)
        self._store.stop(wait=FLUSH_SECONDS)
        self._finisher.stop(wait=FLUSH_SECONDS)
        self._supervisor.stop(wait=FLUSH_SECONDS)
        self._executors.stop()
        self._say_goodbye()

    def hurry(self) -> None:
        """Do not wait for what still runs: give it back at once."""
        self._hurry.set()

    def wait_until_idle(self, *, seconds: float | None = None) -> bool:
        """Block until nothing that this worker serves is ready or held; False when ``seconds`` passed first."""
        return self._store.idle.wait(seconds)

    def _wait_until_empty(self, seconds: float, *, or_hurry: bool) -> None:
        until = time.monotonic() + seconds
        while (len(self._held) or self._store.may_hold_more) and time.monotonic() < until:
            if or_hurry and self._hurry.wait(0.02):
                return
            if not or_hurry:
                time.sleep(0.01)

    def _give_back(self) -> list[Run]:
        """Settle what still runs as released: from here on nothing that those handlers do is written."""
        given = [run for run in self._held.runs() if run.settle(released())]
        for run in given:
            self._store.settled(run)
        return given

    def _say_goodbye(self) -> None:
        self._registration.state = Worker.State.STOPPED
        try:
            with gate.hold(first=True, wait=FLUSH_SECONDS):
                self._registration.beat()
        except Exception as error:
            instrument.worker_error("goodbye", error)
        instrument.worker("stopped", worker_id=self.worker_id, held=len(self._held))

    # --- Between the threads ------------------------------------------------------------------------------------------

    def _wake(self) -> None:
        self._store.wake()
        self._supervisor.hint()

    def _launch(self, jobs: Sequence[ClaimedJob], claimed_at: Moment) -> None:
        runs = [self._run_of(job, claimed_at) for job in jobs]
        for run in runs:
            self._held.add(run)
            instrument.started(run.job)
        runnable = [run for run in runs if run.spec is not None]
        for run in runnable:
            self._held.handler_started(run)
        self._executors.run(runnable)
        for run in runs:
            if run.spec is None and run.settle(ending_without_handler(run.job, run)):
                self._store.settled(run)

    def _run_of(self, job: ClaimedJob, claimed_at: Moment) -> Run:
        return Run(
            job,
            spec=handler_for(job.kind),
            lease_seconds=self._lease_seconds,
            claimed_at=claimed_at,
            on_said=self._store.said,
        )

    def _handler_returned(self, run: Run, ending: Ending | None) -> None:
        self._held.handler_returned(run)
        if ending is None:
            return
        if run.settle(ending):
            self._settled(run)
        elif self._registration.state != Worker.State.DRAINING:
            instrument.late(run.job, ending.outcome)

    def _settled(self, run: Run) -> None:
        succeeded = run.ending is not None and run.ending.outcome == Outcome.SUCCEEDED
        if succeeded and run.domain is not None:
            self._finisher.settled(run)
        else:
            self._store.settled(run)

    def _stuck(self, why: str) -> None:
        if not self.wants_to_stop.is_set():
            instrument.worker("stuck", worker_id=self.worker_id, why=why)
            self.exit_code = EXIT_RESTART
            self.wants_to_stop.set()


def _check(
    concurrency: int, kinds: Sequence[str] | None, lease_seconds: float, poll_seconds: float, drain_seconds: float
) -> None:
    if concurrency < 1:
        raise ValueError(f"concurrency must be at least 1, not {concurrency}.")
    if not lease_seconds >= MIN_LEASE_SECONDS:
        raise ValueError(f"lease_seconds must be at least {MIN_LEASE_SECONDS}, not {lease_seconds:g}.")
    if lease_seconds > MAX_LEASE_SECONDS:
        raise ValueError(f"lease_seconds must be at most {MAX_LEASE_SECONDS}, not {lease_seconds:g}.")
    if not poll_seconds >= MIN_POLL_SECONDS:
        raise ValueError(f"poll_seconds must be at least {MIN_POLL_SECONDS}, not {poll_seconds:g}.")
    if not drain_seconds >= 0:
        raise ValueError(f"drain_seconds must not be negative, as {drain_seconds:g} is.")
    unknown = sorted(set(kinds or []) - set(registered_kinds()))
    if unknown:
        known = ", ".join(registered_kinds()) or "none"
        raise ValueError(f"No handler is registered for job kind {', '.join(unknown)}; known kinds: {known}.")
