"""For tests of handlers, ours and a user's: run what is due in the calling thread, on the caller's connection.

No threads, no sleeping: the same claim, contexts and transitions as in a worker, one job after the other. Async
handlers run on a loop of their own. Time is ``now``, or the clock that the test turns.
"""

import asyncio
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from jobs import claim, endings, handlers
from jobs.claim import Serves
from jobs.claimed import ClaimedJob
from jobs.handlers import Handler, HandlerSpec, JobContext, handler_for
from jobs.models import Job
from jobs.runtime.clock import moment
from jobs.runtime.finishing import finish_one
from jobs.runtime.outcome import ending_of_error, ending_of_result, ending_without_handler
from jobs.runtime.run import Run

LEASE_SECONDS = 30.0
WORKER_ID = "worker_of_a_test"


class Clock:
    """A clock that stands still until it is turned; hand ``clock.now`` to whatever takes ``now``."""

    def __init__(self, start: datetime | None = None) -> None:
        self.now = start or timezone.now()

    def turn(self, *, seconds: float) -> datetime:
        self.now += timedelta(seconds=seconds)
        return self.now


def claim_one(*, worker: str = WORKER_ID, kinds: set[str] | None = None, now: datetime | None = None) -> ClaimedJob:
    """Claim the next ready job, or fail with a sentence when there is none."""
    serves = Serves(None if kinds is None else frozenset(kinds))
    jobs = claim.claim(worker=worker, serves=serves, free=1, lease_seconds=LEASE_SECONDS, now=now)
    assert jobs, "No job is ready."
    return jobs[0]


def run_of(job: ClaimedJob) -> Run:
    """The in-memory attempt of a claimed job, as a worker would hold it."""
    spec = handler_for(job.kind)
    return Run(job, spec=spec, lease_seconds=LEASE_SECONDS, claimed_at=moment(), on_said=lambda run: None)


def run_one(job: ClaimedJob, *, now: datetime | None = None) -> str | None:
    """Run the handler of a claimed job and write how it ended; the status that the job has then."""
    run = run_of(job)
    run.cancel_requested = Job.objects.filter(pk=job.id, cancel_requested_at__isnull=False).exists()
    ending = ending_without_handler(job, run) if run.spec is None else _call(run, run.spec)
    if ending is None:
        return None
    run.settle(ending)
    with run.said.writing, transaction.atomic():
        if not run.said.empty:
            run.said.write(now=now)
        status = finish_one(run, now=now)
    run.said.written()
    return status


def _call(run: Run, spec: HandlerSpec) -> endings.Ending | None:
    try:
        result = spec.function(JobContext(run))
        if inspect.iscoroutine(result):
            result = asyncio.run(result)
        return ending_of_result(result)
    except BaseException as error:
        return ending_of_error(run, error)


def run_until_idle(*, kinds: set[str] | None = None, now: datetime | None = None) -> int:
    """Run every job that is due, and those that they enqueue; returns how many attempts that took.

    Jobs that wait for a later time (a retry's back-off, a snooze) are left alone unless ``now`` is late enough.
    """
    serves = Serves(None if kinds is None else frozenset(kinds))
    count = 0
    while jobs := claim.claim(worker=WORKER_ID, serves=serves, free=1, lease_seconds=LEASE_SECONDS, now=now):
        run_one(jobs[0], now=now)
        count += 1
    return count


@contextmanager
def registered(kind: str, **limits: Any) -> Iterator[Callable[[Handler], Handler]]:
    """``with registered("kind", max_attempts=2) as handler:`` – a decorator for a handler that goes with the block."""
    try:
        yield handlers.job_handler(kind, **limits)
    finally:
        handlers.unregister(kind)
