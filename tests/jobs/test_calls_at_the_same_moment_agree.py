"""Two people click, two processes enqueue, a worker finishes while somebody cancels: one outcome, and a legal one."""

import threading
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from jobs import claim, transitions
from jobs.claim import reclaim
from jobs.claimed import ClaimedJob
from jobs.enqueue import cancel_jobs, enqueue_many, retry_by_hand
from jobs.handlers import JobContext, LeaseLost
from jobs.models import Job, JobAttempt, JobEvent
from jobs.resources import Change, NotRetryable, register_resource, unregister_resource
from jobs.testing import run_of
from jobs.transitions import request_cancel
from oncall.models import User
from tests.domain.models import Picture
from tests.jobs.album import Album
from tests.jobs.factories import make_job
from tests.jobs.steps import EVERYTHING, KIND, LEASE_SECONDS, ME, end, outcomes, queue, row
from tests.jobs.threads import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("kinds")]


def take_now(*, worker: str = ME, free: int = 10, lease_seconds: float = LEASE_SECONDS) -> list[ClaimedJob]:
    """By the real clock, which on PostgreSQL is the database's."""
    return claim.claim(worker=worker, serves=EVERYTHING, free=free, lease_seconds=lease_seconds)


def queue_now(**fields: Any) -> Job:
    return queue(now=None, **fields)


def test_ten_clicks_on_retry_make_one_job(alice: User) -> None:
    source = make_job(status="failed", owner=alice, kind=KIND, resource=("film", "1"))
    results = at_once([partial(retry_by_hand, source.pk)] * 10)
    (successor,) = [result for result in results if isinstance(result, Job)]
    refusals = [result for result in results if isinstance(result, NotRetryable)]
    assert [refusal.successor_id for refusal in refusals] == [successor.pk] * 9
    assert Job.objects.count() == 2


@pytest.mark.parametrize("system", [False, True])
def test_ten_calls_for_one_resource_make_one_job(alice: User, system: bool) -> None:
    owner = None if system else alice
    results = at_once([partial(queue_now, owner=owner, resource=("film", "1"))] * 10)
    assert {result.pk for result in results} == set(Job.objects.values_list("pk", flat=True))
    assert sorted(result.created for result in results) == [False] * 9 + [True]


def test_many_jobs_for_the_same_resources_in_any_order(alice: User) -> None:
    """Two batches that lock the same keys in opposite orders would wait for each other for ever."""
    items = [{"resource": ("film", str(n))} for n in range(60)]
    orders = [items, items[::-1], items[30:] + items[:30], items[::2] + items[1::2]]
    results = at_once([partial(enqueue_many, KIND, owner=alice, items=order) for order in orders])
    assert [len(result) for result in results] == [60] * 4
    assert Job.objects.count() == 60
    assert sum(job.created for result in results for job in result) == 60
    for order, result in zip(orders, results, strict=True):
        assert [("film", job.resource_id) for job in result] == [item["resource"] for item in order]


def test_twenty_appends_are_numbered_one_to_twenty() -> None:
    queue_now()
    (claimed,) = take_now()
    run = run_of(claimed)
    context = JobContext(run)

    def say(number: int) -> None:
        context.append_event("step", {"n": number})
        with run.said.writing:
            with transaction.atomic():
                run.said.write()
            run.said.written()

    assert at_once([partial(say, n) for n in range(20)]) == [None] * 20
    events = JobEvent.objects.filter(job_id=claimed.id).order_by("sequence")
    assert [event.sequence for event in events] == list(range(1, 21))
    assert sorted(event.payload["n"] for event in events) == list(range(20))
    assert row(claimed)["event_seq"] == 20


def test_two_workers_that_say_something_for_one_job() -> None:
    """The older one is refused, whoever comes first."""
    queue_now()
    (old,) = take_now(lease_seconds=-1)
    reclaim()
    (new,) = take_now()
    runs = [run_of(old), run_of(new)]

    def say(number: int) -> None:
        run = runs[number % 2]
        JobContext(run).append_event("step")
        with run.said.writing, transaction.atomic():
            run.said.write()
            run.said.written()

    results = at_once([partial(say, n) for n in range(10)])
    assert [isinstance(result, LeaseLost) for result in results] == [True, False] * 5
    events = JobEvent.objects.filter(job_id=new.id).order_by("sequence")
    assert list(events.values_list("sequence", "epoch")) == [(n, 2) for n in range(1, 6)]


def check_domain(jobs: list[Job]) -> None:
    statuses = {str(pk): status for pk, status in Picture.objects.values_list("pk", "status")}
    for job in jobs:
        now = row(job)
        assert statuses[job.resource_id] == now["status"]
        assert len(outcomes(job)) == now["epoch"]


def queue_pictures(count: int, **fields: Any) -> list[Job]:
    return [queue_now(resource=("picture", str(Picture.objects.create().pk)), **fields) for _ in range(count)]


@pytest.mark.parametrize("ending", ["succeeded", "retried", "released", "snoozed"])
def test_an_end_and_a_cancel(album: Album, ending: str) -> None:
    jobs = queue_pictures(8)
    taken = take_now()
    ends = [partial(end, job, ending, now=None) for job in taken]
    results = at_once([*ends, *(partial(request_cancel, job.pk) for job in jobs)])
    assert [result for result in results if isinstance(result, Exception)] == []
    allowed = {"succeeded": {"succeeded", "cancelled"}, "retried": {"failed", "cancelled"}}.get(ending, {"cancelled"})
    for job in jobs:
        now = row(job)
        assert now["status"] in allowed
        if now["status"] == "succeeded":
            assert now["cancel_requested_at"] is None
    check_domain(jobs)


def test_a_claim_and_a_cancel(album: Album) -> None:
    jobs = queue_pictures(12)
    claims = [partial(take_now, worker=f"w{n}", free=3) for n in range(4)]
    results = at_once([*claims, *(partial(request_cancel, job.pk) for job in jobs)])
    assert [result for result in results if isinstance(result, Exception)] == []
    for job in jobs:
        now = row(job)
        assert now["cancel_requested_at"] is not None
        assert (now["status"], now["epoch"]) in {("cancelled", 0), ("running", 1)}
    check_domain(jobs)


def test_an_end_and_a_reclaim(album: Album) -> None:
    jobs = queue_pictures(8)
    taken = take_now(lease_seconds=-1)
    results = at_once([*[partial(transitions.succeed, job) for job in taken], reclaim, reclaim])
    for job, result in zip(taken, results, strict=False):
        outcome = outcomes(job)
        assert outcome == (["lost"] if isinstance(result, LeaseLost) else ["succeeded"])
        assert row(job)["status"] == ("queued" if isinstance(result, LeaseLost) else "succeeded")
    assert sum(results[-2:]) >= sum(isinstance(result, LeaseLost) for result in results)
    check_domain(jobs)


def test_claimers_in_threads_share_nothing(album: Album) -> None:
    queue_pictures(60)
    results = at_once([partial(take_now, worker=f"w{n}", free=12) for n in range(6)])
    taken = [job.id for result in results for job in result]
    assert len(taken) == len(set(taken))
    # On PostgreSQL a claim passes over rows that a rival has just locked and may get fewer; the next one gets them.
    while more := take_now(worker="last"):
        taken += [job.id for job in more]
    assert len(taken) == len(set(taken)) == 60
    assert JobAttempt.objects.count() == 60


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite locks no rows")
def test_a_renewal_waits_for_nobody_and_calls_nothing_lost_that_is_locked() -> None:
    for _ in range(3):
        queue_now()
    locked, free, gone = take_now()
    end(gone, "released", now=None)
    holding, enough = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            Job.objects.select_for_update().get(pk=locked.id)
            Job.objects.select_for_update().get(pk=gone.id)
            holding.set()
            assert enough.wait(20)

    def beat() -> Any:
        try:
            assert holding.wait(20)
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SET LOCAL lock_timeout = '2s'")
                return transitions.renew([locked, free, gone], lease_seconds=LEASE_SECONDS)
        finally:
            enough.set()

    _, renewal = at_once([hold, beat])
    assert (renewal.renewed, renewal.lost) == ({free.key}, {gone.key})
    assert transitions.renew([locked], lease_seconds=LEASE_SECONDS).renewed == {locked.key}


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite locks no rows")
def test_a_claim_and_a_reclaim_pass_over_what_is_locked() -> None:
    first, second = queue_now(priority=1), queue_now()
    holding, enough = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            Job.objects.select_for_update().get(pk=first.pk)
            holding.set()
            assert enough.wait(20)

    def take() -> list[ClaimedJob]:
        try:
            assert holding.wait(20)
            return take_now(free=1)
        finally:
            enough.set()

    _, taken = at_once([hold, take])
    assert [job.id for job in taken] == [second.pk]


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite locks no rows")
def test_a_domain_that_cancels_its_jobs_and_a_worker_that_ends_one_of_them() -> None:
    """Both change one row of the domain: who has the job rows first has it first, and nobody waits in a circle."""
    shared = Picture.objects.create()
    cancelling, ending = threading.Event(), threading.Event()

    def on_change(changes: Sequence[Change], now: datetime) -> None:
        if changes[0].to_status == "succeeded":
            ending.set()
        Picture.objects.filter(pk=shared.pk).update(writes=F("writes") + 1)
        if changes[0].to_status == "cancelled" and not cancelling.is_set():
            cancelling.set()
            ending.wait(0.3)

    register_resource("page", on_change)
    try:
        queue_now(resource=("page", "1"), available_at=timezone.now() + timedelta(days=1))
        queue_now(resource=("page", "2"))
        (claimed,) = take_now()

        def end_it() -> str:
            assert cancelling.wait(20)
            return end(claimed, "succeeded", now=None)

        results = at_once([partial(cancel_jobs, "page", ["1", "2"]), end_it])
    finally:
        unregister_resource("page")
    assert results == [None, "cancelled"]
    assert sorted(Job.objects.values_list("status", flat=True)) == ["cancelled", "cancelled"]
