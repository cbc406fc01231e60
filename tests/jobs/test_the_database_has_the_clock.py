"""On PostgreSQL every time of the queue is the database's: a worker whose clock is wrong neither steals nor waits."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from jobs import claim, transitions
from jobs.claim import reclaim
from jobs.events import Event, append
from jobs.models import Job, JobAttempt, JobEvent
from tests.jobs.steps import BROKEN, EVERYTHING, LEASE_SECONDS, ME, queue

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("kinds")]
only_postgres = pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one host, and Python's clock")
WRONG = datetime(2001, 1, 1, tzinfo=UTC)
LEASE = timedelta(seconds=LEASE_SECONDS)


@pytest.fixture(params=[WRONG, WRONG.replace(year=2099)], ids=["behind", "ahead"])
def wrong_clock(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(timezone, "now", lambda: request.param)
    yield


def close(moment: Any, wanted: datetime) -> bool:
    return bool(abs(moment - wanted) < timedelta(seconds=20))


@only_postgres
def test_a_whole_life_by_the_databases_clock(wrong_clock: None) -> None:
    right = datetime.now(UTC)
    job = queue(now=None)
    assert close(job.created_at, right)
    assert close(job.available_at, right)
    (claimed,) = claim.claim(worker=ME, serves=EVERYTHING, free=1, lease_seconds=LEASE_SECONDS)
    job.refresh_from_db()
    assert close(job.started_at, right)
    assert close(job.lease_expires_at, right + LEASE)
    assert reclaim() == 0
    transitions.renew([claimed], lease_seconds=100)
    append(claimed, [Event("step", "{}")], known=0)
    assert close(JobEvent.objects.get().created_at, right)
    job.refresh_from_db()
    assert close(job.lease_expires_at, right + timedelta(seconds=100))
    transitions.fail(claimed, BROKEN, again_in=500)
    job.refresh_from_db()
    assert close(job.available_at, right + timedelta(seconds=500))
    assert close(JobAttempt.objects.get().ended_at, right)
    assert claim.promote() == 0
    assert close(transitions.request_cancel(job.pk).completed_at, right)


def test_a_time_that_is_given_is_taken() -> None:
    """So that a test may turn the clock, on either database."""
    moment = datetime(2030, 5, 5, 5, 5, 5, 5, tzinfo=UTC)
    job = queue(now=moment)
    assert Job.objects.get(pk=job.pk).created_at == moment
