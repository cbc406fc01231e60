"""A claim makes at most 500 delayed jobs ready, those that have been due the longest; none before its time."""

from collections.abc import Iterable
from datetime import timedelta

import pytest

from jobs.claim import next_due, next_expiry, promote
from jobs.models import Job
from tests.jobs.steps import KIND, LEASE_SECONDS, NOON, end, queue, row, take, take_one

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("kinds")]
SECOND = timedelta(seconds=1)


def delayed(seconds: Iterable[int]) -> None:
    """Delayed jobs that fall due so many seconds after noon."""
    Job.objects.bulk_create(
        Job(kind=KIND, available_at=NOON + n * SECOND, created_at=NOON, updated_at=NOON) for n in seconds
    )


def test_at_most_500_the_longest_due_first() -> None:
    delayed(reversed(range(1, 701)))
    now = NOON + 650 * SECOND
    assert promote(now=now) == 500
    ready = Job.objects.filter(fair_tag__isnull=False)
    assert (ready.count(), max(ready.values_list("available_at", flat=True))) == (500, NOON + 500 * SECOND)
    assert promote(now=now) == 150
    assert promote(now=now) == 0


def test_none_before_its_time() -> None:
    delayed([1])
    assert promote(now=NOON + SECOND - timedelta(microseconds=1)) == 0
    assert promote(now=NOON + SECOND) == 1


def test_promotion_changes_the_tag_alone() -> None:
    job = queue(available_at=NOON + SECOND)
    before = row(job)
    promote(now=NOON + SECOND)
    assert row(job) == {**before, "fair_tag": 0}


def test_a_claim_promotes_by_itself() -> None:
    delayed([1, 2, 3])
    assert len(take(now=NOON + 2 * SECOND)) == 2


@pytest.mark.parametrize(("ending", "seconds"), [("retried", 2), ("timed_out", 2), ("snoozed", 60)])
def test_a_returned_job_is_ready_again_when_due(ending: str, seconds: int) -> None:
    job = queue()
    end(take_one(), ending)
    assert row(job)["available_at"] == NOON + seconds * SECOND
    assert take(now=NOON + seconds * SECOND - timedelta(microseconds=1)) == []
    assert take_one(now=NOON + seconds * SECOND).id == job.pk


def test_when_to_look_again() -> None:
    assert (next_due(), next_expiry()) == (None, None)
    delayed([7, 5, 9])
    queue()
    assert next_due() == NOON + 5 * SECOND
    take_one()
    assert next_expiry() == NOON + LEASE_SECONDS * SECOND


def test_a_whole_second_counts_like_any_other() -> None:
    """SQLite holds times as text, and leaves out decimals that are zero."""
    whole = NOON.replace(microsecond=0)
    queue(available_at=whole + SECOND, now=whole)
    assert take(now=whole + SECOND - timedelta(microseconds=1)) == []
    assert next_due() == whole + SECOND
    assert len(take(now=whole + SECOND + timedelta(microseconds=1))) == 1
