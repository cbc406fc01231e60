"""A domain that refuses, in whatever way: its own job fails or is put off, all others go on."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from jobs.claim import Serves, claim
from jobs.enqueue import enqueue
from jobs.handlers import JobContext
from jobs.models import Job
from jobs.resources import Change
from tests.domain.models import Picture
from tests.jobs.runtime.still_works import dangling_row, still_works
from tests.jobs.runtime.waiting import ended, eventually, outcomes

Handle = Callable[..., Any]
pytestmark = pytest.mark.django_db(transaction=True)
HOUR = timedelta(hours=1)


class Refusing:
    """A domain that refuses the picture "bad", in one way or another, at one status or another."""

    def __init__(self, how: Callable[[], None], *to_statuses: str) -> None:
        self.how = how
        self.to_statuses = to_statuses

    def __call__(self, changes: Sequence[Change], now: datetime) -> None:
        for change in changes:
            if change.resource_id == "bad" and change.to_status in self.to_statuses:
                self.how()


class Wordless(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def raise_error() -> None:
    raise ValueError("The picture is locked.")


def raise_exit() -> None:
    raise SystemExit("The picture is locked.")


def raise_wordless() -> None:
    raise Wordless


def wrong_statement() -> None:
    Picture.objects.extra(where=["no_such_column = 1"]).count()


HOOKS = [raise_error, raise_exit, raise_wordless, wrong_statement, dangling_row]


def fifty(kind: str) -> tuple[Job, list[Job]]:
    with transaction.atomic():  # All of them at once, so that they end in one batch.
        jobs = [enqueue(kind, owner=None, resource=("picture", name)) for name in ["bad", *map(str, range(49))]]
    return jobs[0], jobs[1:]


@pytest.mark.parametrize("how", HOOKS)
def test_a_hook_that_refuses_an_end_hurts_its_own_job_only(
    handle: Handle, follow: Handle, start: Handle, how: Callable[[], None]
) -> None:
    follow("picture", Refusing(how, "succeeded"))

    @handle("painting", max_attempts=1)
    async def painting(context: JobContext) -> str:
        return "ok"

    bad, good = fifty("painting")
    start(concurrency=50)
    assert {ended(job).result for job in good} == {"ok"}
    row = ended(bad)
    assert (row.status, row.result, row.attempt) == ("failed", None, 1)
    assert row.error_message
    still_works(handle)


@pytest.mark.parametrize("how", HOOKS)
def test_a_hook_that_refuses_every_end_puts_its_job_off(
    handle: Handle, follow: Handle, start: Handle, how: Callable[[], None]
) -> None:
    follow("picture", Refusing(how, "succeeded", "failed", "queued"))

    @handle("painting")
    async def painting(context: JobContext) -> str:
        return "ok"

    bad = enqueue_bad_without_hook("painting")
    others = [enqueue("painting", owner=None, resource=("picture", str(n))) for n in range(9)]
    runtime = start(concurrency=10)
    assert {ended(job).result for job in others} == {"ok"}
    still_works(handle)
    eventually(lambda: len(runtime._held) == 0)
    row = Job.objects.get(pk=bad.pk)
    assert (row.status, outcomes(bad)) == ("running", [None])
    assert row.lease_expires_at is not None
    assert 20 < (row.lease_expires_at - timezone.now()).total_seconds() < 31


def enqueue_bad_without_hook(kind: str) -> Job:
    """A job for the picture that refuses; it would refuse to be queued, too."""
    job = enqueue(kind, owner=None)
    Job.objects.filter(pk=job.pk).update(resource_type="picture", resource_id="bad")
    return job


@pytest.mark.parametrize("how", HOOKS)
def test_a_hook_that_refuses_a_reclaim_puts_its_own_job_off(
    handle: Handle, follow: Handle, start: Handle, how: Callable[[], None]
) -> None:
    follow("picture", Refusing(how, "queued", "failed"))

    @handle("painting")
    async def painting(context: JobContext) -> str:
        return "ok"

    bad = enqueue_bad_without_hook("painting")
    good = [enqueue("painting", owner=None, resource=("picture", str(n))) for n in range(9)]
    dead = claim(worker="worker_dead", serves=Serves(), free=10, lease_seconds=30, now=timezone.now() - HOUR)
    assert len(dead) == 10
    start()
    assert {ended(job).result for job in good} == {"ok"}
    assert outcomes(good[0]) == ["lost", "succeeded"]
    row = Job.objects.get(pk=bad.pk)
    assert (row.status, row.epoch, outcomes(bad)) == ("running", 1, [None])
    assert row.lease_expires_at is not None
    assert 20 < (row.lease_expires_at - timezone.now()).total_seconds() < 31


@pytest.mark.parametrize("how", HOOKS)
def test_a_hook_that_refuses_a_claim_puts_its_own_job_off(
    handle: Handle, follow: Handle, start: Handle, how: Callable[[], None]
) -> None:
    follow("picture", Refusing(how, "running"))

    @handle("painting")
    async def painting(context: JobContext) -> str:
        return "ok"

    bad, good = fifty("painting")
    start(concurrency=50)
    assert {ended(job).result for job in good} == {"ok"}
    still_works(handle)
    eventually(lambda: Job.objects.get(pk=bad.pk).error_message)
    row = Job.objects.get(pk=bad.pk)
    assert (row.status, row.attempt, row.epoch) == ("queued", 0, 0)
    assert 20 < (row.available_at - timezone.now()).total_seconds() < 31
