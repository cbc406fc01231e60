"""A database that is locked, raises, or loses its reply: the worker lives, nothing is orphaned, nothing runs twice."""

import sqlite3
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.db import OperationalError, connection, transaction

from jobs.enqueue import enqueue
from jobs.handlers import JobContext
from jobs.models import Job, JobAttempt
from tests.domain.models import Picture
from tests.jobs.runtime.faults import Faults
from tests.jobs.runtime.intruder import Intruder
from tests.jobs.runtime.waiting import ended, eventually, outcomes, said, status_of

Handle = Callable[..., Any]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> Faults:
    return Faults(monkeypatch)


@pytest.fixture
def calls(handle: Handle) -> Counter[str]:
    """How often each job's handler was called. Each says two events and has a finish that makes a group."""
    counted: Counter[str] = Counter()

    @handle("on-the-loop", backoff=lambda attempt: 0.01)
    async def on_the_loop(context: JobContext) -> str:
        counted[context.job.id] += 1
        context.append_event("one")
        context.progress(0.5)
        context.append_event("two")
        return "done"

    @handle("with-a-finish", backoff=lambda attempt: 0.01)
    def with_a_finish(context: JobContext) -> str:
        counted[context.job.id] += 1
        context.append_event("one")
        context.finish(lambda: Group.objects.create(name=context.job.id))
        context.append_event("two")
        return "done"

    return counted


def enqueue_some() -> list[Job]:
    with transaction.atomic():
        return [enqueue(kind, owner=None) for kind in ("on-the-loop", "with-a-finish") for _ in range(10)]


def each_ran_once(jobs: list[Job], calls: Counter[str]) -> None:
    for job in jobs:
        row = ended(job, seconds=20)
        assert (row.status, row.result, row.attempt) == ("succeeded", "done", 1)
        assert calls[job.pk] == 1
        assert said(job) == ["one", "two"]
        assert outcomes(job)[-1] == "succeeded"
        assert set(outcomes(job)[:-1]) <= {"released"}
        assert Group.objects.filter(name=job.pk).count() == int(job.kind == "with-a-finish")
    assert not JobAttempt.objects.filter(outcome=None).exists()


STATEMENTS = {
    "claim": "SET status = 'running'",
    "attempt": "INSERT INTO jobs_jobattempt",
    "finish": "SET status = 'succeeded'",
    "attempt-closed": "UPDATE jobs_jobattempt",
    "events": "INSERT INTO jobs_jobevent",
    "fence-of-events": "event_seq = event_seq +",
    "look": "WITH RECURSIVE kinds",
    "orphans": "lease_owner = %s",
}


@pytest.mark.parametrize("statement", STATEMENTS)
def test_an_error_at_a_statement(start: Handle, faults: Faults, calls: Counter[str], statement: str) -> None:
    faults.at_statement(STATEMENTS[statement], times=4)
    jobs = enqueue_some()
    start()
    each_ran_once(jobs, calls)
    assert faults.struck or statement == "orphans"


@pytest.mark.parametrize("thread", ["job-store", "job-finisher"])
@pytest.mark.parametrize("answered", [True, False])
def test_an_error_at_a_commit(start: Handle, faults: Faults, calls: Counter[str], thread: str, answered: bool) -> None:
    faults.at_commit(thread, times=5, answered=answered)
    jobs = enqueue_some()
    start()
    each_ran_once(jobs, calls)
    assert faults.struck == 5


def test_a_claim_whose_reply_was_lost_is_given_back_uncharged(
    start: Handle, faults: Faults, calls: Counter[str]
) -> None:
    faults.at_commit("job-store", times=1, answered=False)
    jobs = enqueue_some()
    start()
    each_ran_once(jobs, calls)
    assert JobAttempt.objects.filter(outcome="released").exists()


def test_a_claim_whose_reply_was_lost_is_given_back_though_the_worker_stops(
    start: Handle, faults: Faults, calls: Counter[str]
) -> None:
    runtime = start(poll_seconds=30)
    assert runtime.wait_until_idle(seconds=10)
    inside = threading.Event()
    claim = runtime._store._claim

    def claim_slowly(*work: Any, **leaving: Any) -> Any:
        claimed = claim(*work, **leaving)
        if claimed:
            faults.at_commit("job-store", times=1, answered=False)
            inside.set()
            eventually(lambda: runtime._store._claiming is False)
        return claimed

    runtime._store._claim = claim_slowly
    job = enqueue("on-the-loop", owner=None)
    assert inside.wait(10)
    runtime.stop()
    assert faults.struck == 1
    assert (status_of(job), outcomes(job), calls[job.pk]) == ("queued", ["released"], 0)


def test_an_error_at_the_renewal_costs_no_lease(
    handle: Handle, start: Handle, faults: Faults, released: threading.Event
) -> None:
    @handle("long")
    def long(context: JobContext) -> str:
        released.wait(20)
        context.raise_if_cancelled()
        return "done"

    job = enqueue("long", owner=None)
    start(lease_seconds=6)
    eventually(lambda: status_of(job) == "running")
    first = Job.objects.get(pk=job.pk).lease_expires_at
    faults.at_statement("SET lease_expires_at", times=2)
    eventually(lambda: faults.struck == 2, seconds=6)
    eventually(lambda: Job.objects.get(pk=job.pk).lease_expires_at != first, seconds=6)
    released.set()
    assert (ended(job).result, outcomes(job)) == ("done", ["succeeded"])


def test_a_locked_database_is_waited_for(
    handle: Handle, start: Handle, intruder: Intruder, caplog: pytest.LogCaptureFixture
) -> None:
    gone_on, ran = threading.Event(), Counter[str]()

    @handle("working")
    def working(context: JobContext) -> str:
        ran[context.job.id] += 1
        context.append_event("begun")
        gone_on.wait(20)
        context.append_event("gone-on")
        if context.job.payload.get("finish"):
            context.finish(lambda: None)
        return "done"

    jobs = [enqueue("working", owner=None, payload={"finish": n % 2}) for n in range(4)]
    start(concurrency=4, lease_seconds=6)
    eventually(lambda: all(said(job) == ["begun"] for job in jobs))
    intruder.hold()
    gone_on.set()
    eventually(lambda: caplog.text.count("background.worker.error") >= 2, seconds=10)
    intruder.let_go()
    for job in jobs:
        assert (ended(job).result, outcomes(job), ran[job.pk]) == ("done", ["succeeded"], 1)
        assert said(job) == ["begun", "gone-on"]
    later = enqueue("working", owner=None)
    assert ended(later).result == "done"


def test_an_unanswered_commit_of_a_fenced_block_doubles_nothing(handle: Handle, start: Handle, faults: Faults) -> None:
    @handle("painting", max_attempts=1)
    def painting(context: JobContext) -> None:
        context.append_event("before")
        try:
            with context.fenced():
                Picture.objects.create()
                context.append_event("inside")
        except OperationalError:
            context.append_event("after")

    faults.at_commit("job-handler", times=1, answered=False)
    job = enqueue("painting", owner=None)
    start()
    assert ended(job).status == "succeeded"
    assert faults.struck == 1
    assert said(job) == ["before", "inside", "after"]
    assert Picture.objects.count() == 1


def test_a_connection_that_breaks_in_a_finish_is_no_failure_of_the_job(handle: Handle, start: Handle) -> None:
    tries: list[int] = []

    @handle("painting", max_attempts=1)
    def painting(context: JobContext) -> str:
        def write() -> None:
            tries.append(1)
            Picture.objects.create()
            if len(tries) == 1:
                break_connection()
                Picture.objects.count()

        context.finish(write)
        return "done"

    def break_connection() -> None:
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        else:
            error = OperationalError("database is locked")
            error.__cause__ = locked()
            raise error

    job = enqueue("painting", owner=None)
    start()
    assert (ended(job).result, outcomes(job), len(tries)) == ("done", ["succeeded"], 2)
    assert Picture.objects.count() == 1


def locked() -> Exception:
    """What SQLite's driver raises for a lock."""
    error = sqlite3.OperationalError("database is locked")
    error.sqlite_errorname = "SQLITE_BUSY"
    return error
