"""The one thread that claims and finishes. It writes whatever waits in one transaction, and never waits for company."""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from django.db import IntegrityError, connection, transaction

from jobs import claim, instrument, sql
from jobs.claim import Serves
from jobs.claimed import ClaimedJob, claimed
from jobs.handlers import LeaseLost
from jobs.resources import HookFailed
from jobs.runtime.clock import Moment, moment
from jobs.runtime.finishing import Status, commit_or_put_off, finish_all, locked_elsewhere, send
from jobs.runtime.gate import gate
from jobs.runtime.held import Held
from jobs.runtime.lookout import Lookout
from jobs.runtime.loops import Loop
from jobs.runtime.run import Run
from jobs.transitions import release

LOCKED_PAUSE_SECONDS = 0.1


@dataclass
class Work:
    """What one transaction is to write."""

    endings: list[Run] = field(default_factory=list)
    said: list[Run] = field(default_factory=list)
    claim: bool = False
    claim_at_most: int | None = None


class Store:
    def __init__(
        self,
        *,
        worker_id: str,
        serves: Serves,
        held: Held,
        lease_seconds: float,
        poll_seconds: float,
        lock_wait: float,
        launch: Callable[[Sequence[ClaimedJob], Moment], None],
        on_commit_elsewhere: Callable[[], None],
    ) -> None:
        self._worker_id = worker_id
        self._serves = serves
        self._held = held
        self._lease_seconds = lease_seconds
        self._lookout = Lookout(serves=serves, poll_seconds=poll_seconds)
        self._launch = launch
        self._on_commit_elsewhere = on_commit_elsewhere
        self._loop = Loop("store", self._turn, lock_wait=lock_wait)
        self._changed = threading.Condition()
        self._endings: list[Run] = []
        self._said: dict[int, Run] = {}
        self._claiming = True
        self._maybe_ready = True
        self._unsure = False
        self._taken: list[ClaimedJob] = []
        self._claims_on_the_way = False
        # Set while nothing this worker serves is ready and it holds nothing.
        self.idle = threading.Event()

    # --- From other threads -------------------------------------------------------------------------------------------

    def start(self) -> None:
        self._loop.start()

    def stop(self, *, wait: float) -> None:
        with self._changed:
            self._loop.stop(wait=0)
            self._changed.notify()
        self._loop.stop(wait=wait)

    def stop_claiming(self) -> None:
        with self._changed:
            self._claiming = False
            self._changed.notify()

    @property
    def may_hold_more(self) -> bool:
        """A claim may yet commit although ``stop_claiming`` was called, or has done so and nobody was told."""
        return self._claims_on_the_way or self._unsure

    def settled(self, run: Run) -> None:
        """The run's end is decided: write it."""
        with self._changed:
            self._endings.append(run)
            self._changed.notify()

    def said(self, run: Run) -> None:
        """The run has events or progress to write."""
        with self._changed:
            self._said[id(run)] = run
            self._changed.notify()

    def wake(self) -> None:
        """Something was committed in this process; there may be work."""
        with self._changed:
            self._maybe_ready = True
            self.idle.clear()
            self._changed.notify()

    # --- One turn -----------------------------------------------------------------------------------------------------

    def _turn(self) -> None:
        work = self._wait_for_work()
        try:
            if self._unsure:
                self._release_orphans()
                self._write_singly(work)
                while work.claim and self._claim_singly():
                    pass
                self._unsure = False
            if work.endings or work.said or (work.claim and self._worth_claiming()):
                self._write(work)
        except BaseException:
            # Nothing is known to stand; each write is made so that it may be tried again.
            self._take_back(work)
            self._unsure = True
            raise
        finally:
            self._claims_on_the_way = False

    def _wait_for_work(self) -> Work:
        with self._changed:
            while not (self._endings or self._said or self._wants_claim() or self._unsure or self._loop.stopping):
                if not self._changed.wait(self._lookout.seconds_to_sleep()):
                    self._look_up()
            work = Work(self._endings, list(self._said.values()), self._claiming)
            self._endings, self._said = [], {}
            if work.endings or self._maybe_ready:
                self.idle.clear()
            else:
                work.claim = False
            self._maybe_ready = False
            self._claims_on_the_way = work.claim
            return work

    def _wants_claim(self) -> bool:
        return self._claiming and self._maybe_ready and len(self._held) < self._held.concurrency

    def _look_up(self) -> None:
        """Between two naps."""
        if self._lookout.committed_elsewhere():
            self._maybe_ready = True
            self._on_commit_elsewhere()
        if self._lookout.time_to_look():
            self._maybe_ready = True

    def _take_back(self, work: Work) -> None:
        with self._changed:
            self._endings = work.endings + self._endings
            self._said = {id(run): run for run in work.said} | self._said
            self._maybe_ready = True

    # --- The claim's surroundings -------------------------------------------------------------------------------------

    def _worth_claiming(self) -> bool:
        if self._lookout.sees_work():
            return True
        with self._changed:
            if len(self._held) == 0 and not self._maybe_ready:
                self.idle.set()
        return False

    def _release_orphans(self) -> None:
        """Give back what the database says is ours and we do not know: claims whose reply was lost on the way."""
        known = self._held.known()
        with connection.cursor() as cursor:
            cursor.execute(sql.HELD_BY, [self._worker_id])
            rows = cursor.fetchall()
        for job in (claimed(row, self._worker_id) for row in rows):
            if (job.id, job.epoch) not in known:
                self._release_orphan(job)

    def _release_orphan(self, job: ClaimedJob) -> None:
        try:
            with gate.hold():
                release(job)
            instrument.lease_lost(job, "its claim was never answered; released")
        except (LeaseLost, HookFailed, IntegrityError) as error:
            instrument.worker_error("orphan", error)

    def _write_singly(self, work: Work) -> None:
        """After an error: each end in a transaction of its own, so that one that cannot be written stops no other."""
        waiting, work.endings = work.endings, []
        while waiting:
            run = waiting.pop(0)
            try:
                if not commit_or_put_off(run, partial(self._write, Work(endings=[run]))):
                    self._held.remove(run)
            except BaseException:
                work.endings = [*waiting, run]
                raise

    def _claim_singly(self) -> bool:
        """Claim one job; False when there was none. One whose claim the database refuses to commit is put off."""
        self._taken = []
        try:
            self._write(Work(claim=True, claim_at_most=1))
        except IntegrityError as error:
            with gate.hold():
                for job in self._taken:
                    claim.put_off_claim(job, error)
        return bool(self._taken)

    # --- The transaction ----------------------------------------------------------------------------------------------

    def _write(self, work: Work) -> None:
        speaking = {id(run): run for run in [*work.said, *work.endings] if not run.said.empty}
        with _each_writing(speaking.values()) as sending, gate.hold():
            with transaction.atomic(durable=True):
                locked = locked_elsewhere([run.job.id for run in {*sending, *work.endings}])
                sent = [run for run in sending if run.job.id not in locked]
                later = [run for run in work.endings if run.job.id in locked]
                endings = [run for run in work.endings if run.job.id not in locked]
                for run in sent:
                    send(run)
                statuses = finish_all(endings) if endings else []
                claimed_at = moment()  # Not before the gate and the lock were ours: the lease counts from here, too.
                claimed = self._claim(work, leaving=endings)
            for run in sent:
                run.said.written()
        self._try_later(later, [run for run in sending if run.job.id in locked])
        self._after_commit(work, list(zip(endings, statuses, strict=True)), claimed, claimed_at)

    def _try_later(self, endings: Iterable[Run], said: Iterable[Run]) -> None:
        """Another transaction has their rows, perhaps for long: we never wait for it with all the others behind us."""
        for tell, runs in ((self.settled, endings), (self.said, said)):
            for run in runs:
                timer = threading.Timer(LOCKED_PAUSE_SECONDS, tell, [run])
                timer.daemon = True
                timer.start()

    def _claim(self, work: Work, *, leaving: Sequence[Run]) -> list[ClaimedJob]:
        if not (work.claim and self._claiming):
            return []
        free, free_for_others = self._held.free(leaving=leaving)
        if work.claim_at_most is not None:
            free = min(free, work.claim_at_most)
        jobs = claim.claim(
            worker=self._worker_id,
            serves=self._serves,
            free=free,
            free_for_others=free_for_others,
            lease_seconds=self._lease_seconds,
        )
        if len(jobs) == free:
            self._maybe_ready = True  # There may be more than there were slots.
        self._taken = jobs
        return jobs

    def _after_commit(
        self, work: Work, ended: Sequence[tuple[Run, Status]], claimed: Sequence[ClaimedJob], claimed_at: Moment
    ) -> None:
        for run, status in ended:
            self._held.remove(run)
            if status is not None and run.ending is not None:
                instrument.ended(run.job, run.ending, status)
        if claimed:
            self._launch(claimed, claimed_at)
        if work.endings or (work.claim and (work.said or claimed)):
            self.wake()  # This turn has not looked when the next delayed job is due.


@contextmanager
def _each_writing(runs: Iterable[Run]) -> Iterator[list[Run]]:
    """Those of ``runs`` whose buffer nobody is writing now, each locked for this block: we never wait for a handler."""
    taken = [run for run in runs if run.said.writing.acquire(blocking=False)]
    try:
        yield taken
    finally:
        for run in taken:
            run.said.writing.release()
