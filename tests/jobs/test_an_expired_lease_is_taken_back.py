"""Transition 9: expiry alone decides. Back to the queue, failed at the last attempt, cancelled when somebody asked."""

from datetime import timedelta

import pytest

from jobs.claim import reclaim
from jobs.handlers import LeaseLost
from jobs.models import Job
from jobs.transitions import renew, request_cancel
from oncall.models import User
from tests.jobs.album import Album
from tests.jobs.steps import (
    ENDINGS,
    KIND,
    LEASE_SECONDS,
    NOON,
    RIVAL,
    attempt_of,
    changed,
    end,
    everything,
    outcomes,
    queue,
    queue_for_picture,
    row,
    take,
    take_one,
)

pytestmark = pytest.mark.django_db
EXPIRY = NOON + timedelta(seconds=LEASE_SECONDS)
AFTER = EXPIRY + timedelta(microseconds=1)
LOST = "Worker lost: the lease expired."
FREED = {"lease_owner": None, "lease_expires_at": None, "updated_at": AFTER, "error_message": LOST}


def test_not_before_it_has_expired(kinds: None) -> None:
    job = queue()
    take_one()
    before = everything(job)
    assert reclaim(now=EXPIRY) == 0
    assert everything(job) == before


def test_it_goes_back_to_the_queue(album: Album, alice: User) -> None:
    job, picture = queue_for_picture(owner=alice)
    take_one()
    before = row(job)
    assert reclaim(now=AFTER) == 1
    after = row(job)
    wanted = {**FREED, "status": "queued", "available_at": AFTER, "fair_tag": 0}
    assert {name: after[name] for name in changed(before, after)} == wanted
    attempt = attempt_of(job)
    assert (attempt.outcome, attempt.ended_at, attempt.error_class) == ("lost", AFTER, "WorkerLost")
    assert attempt.error_message == LOST
    change = album.last
    assert (change.from_status, change.to_status, change.epoch, change.error) == ("running", "queued", 1, LOST)
    assert (change.job_id, change.owner_user_id) == (job.pk, alice.pk)
    picture.refresh_from_db()
    assert picture.status == "queued"


def test_it_is_claimed_again_as_the_next_attempt(kinds: None) -> None:
    job = queue()
    take_one()
    reclaim(now=AFTER)
    again = take_one(worker=RIVAL, now=AFTER)
    assert (again.id, again.epoch, again.attempt) == (job.pk, 2, 2)


def test_the_last_attempt_fails_the_job(album: Album) -> None:
    job, _ = queue_for_picture(max_attempts=1)
    take_one()
    before = row(job)
    reclaim(now=AFTER)
    after = row(job)
    assert {name: after[name] for name in changed(before, after)} == {
        **FREED,
        "status": "failed",
        "completed_at": AFTER,
    }
    assert (outcomes(job), album.last.to_status) == (["lost"], "failed")


@pytest.mark.parametrize("max_attempts", [1, 3])
def test_cancel_and_crash_end_cancelled(album: Album, max_attempts: int) -> None:
    job, _ = queue_for_picture(max_attempts=max_attempts)
    take_one()
    request_cancel(job.pk, now=NOON)
    reclaim(now=AFTER)
    after = row(job)
    assert (after["status"], after["completed_at"], after["fair_tag"]) == ("cancelled", AFTER, None)
    assert (outcomes(job), album.last.to_status) == (["lost"], "cancelled")
    assert take(now=AFTER) == []


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_lost_worker_changes_nothing_any_more(kinds: None, ending: str) -> None:
    job = queue()
    claimed = take_one()
    reclaim(now=AFTER)
    before = everything(job)
    with pytest.raises(LeaseLost):
        end(claimed, ending, now=AFTER)
    assert everything(job) == before


def test_a_poison_job_ends(kinds: None) -> None:
    """A handler that kills its worker each time."""
    job = queue(max_attempts=4)
    now = NOON
    while taken := take(now=now):
        assert taken[0].attempt <= 4
        now += timedelta(seconds=LEASE_SECONDS + 1)
        reclaim(now=now)
    assert (row(job)["status"], outcomes(job)) == ("failed", ["lost"] * 4)


def test_at_most_100_the_longest_expired_first(kinds: None) -> None:
    """Not those that were made first: here they expire last."""
    for _ in range(120):
        queue()
    for _ in range(3):
        queue(priority=1)
        take_one()
    take(free=120, now=NOON + timedelta(minutes=1))
    late = NOON + timedelta(minutes=5)
    assert reclaim(now=late) == 100
    assert not Job.objects.filter(status="running", lease_expires_at__lt=NOON + timedelta(minutes=1)).exists()
    assert reclaim(now=late) == 23
    assert reclaim(now=late) == 0


def test_one_call_of_the_hook_serves_a_batch(album: Album) -> None:
    jobs = [queue_for_picture()[0] for _ in range(3)]
    take()
    album.forget()
    reclaim(now=AFTER)
    assert [[change.job_id for change in told] for told in album.told] == [[job.pk for job in jobs]]


def test_a_renewed_lease_is_left_alone(kinds: None) -> None:
    queue(KIND)
    claimed = take_one()
    renew([claimed], lease_seconds=LEASE_SECONDS, now=EXPIRY)
    assert reclaim(now=AFTER) == 0
