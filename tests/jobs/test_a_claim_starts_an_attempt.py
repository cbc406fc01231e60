"""Transition 2: a claim charges one attempt, raises the fence, takes a lease and opens an attempt row."""

from datetime import timedelta

import pytest

from jobs.models import JobAttempt
from oncall.models import User
from tests.jobs.album import Album
from tests.jobs.steps import LEASE_SECONDS, ME, NOON, changed, end, queue, queue_for_picture, row, take, take_one

pytestmark = pytest.mark.django_db
LATER = NOON + timedelta(minutes=5)
LEASE = timedelta(seconds=LEASE_SECONDS)


def test_what_a_claim_changes_and_nothing_else(album: Album, alice: User) -> None:
    job, _ = queue_for_picture(owner=alice, payload={"width": 80})
    before = row(job)
    take_one(now=LATER)
    after = row(job)
    wanted = {
        "status": "running",
        "epoch": 1,
        "attempt": 1,
        "lease_owner": ME,
        "lease_expires_at": LATER + LEASE,
        "started_at": LATER,
        "updated_at": LATER,
        "fair_tag": None,
    }
    assert {name: after[name] for name in changed(before, after)} == wanted


def test_the_worker_gets_what_the_handler_needs(album: Album, alice: User) -> None:
    job, picture = queue_for_picture(owner=alice, payload={"width": 80}, max_attempts=2, timeout_seconds=9)
    claimed = take_one()
    assert (claimed.id, claimed.epoch, claimed.attempt, claimed.worker) == (job.pk, 1, 1, ME)
    assert (claimed.owner_user_id, claimed.kind, claimed.payload) == (alice.pk, "thumbnail", {"width": 80})
    assert (claimed.resource_type, claimed.resource_id) == ("picture", str(picture.pk))
    assert (claimed.max_attempts, claimed.timeout_seconds, claimed.event_seq) == (2, 9, 0)


def test_the_attempt_is_on_record_while_it_runs(kinds: None) -> None:
    job = queue()
    take_one(now=LATER)
    attempt = JobAttempt.objects.get(job_id=job.pk)
    assert (attempt.epoch, attempt.number, attempt.worker, attempt.started_at) == (1, 1, ME, LATER)
    assert (attempt.ended_at, attempt.outcome, attempt.error_class, attempt.error_message) == (None, None, "", "")


def test_the_domain_follows(album: Album, alice: User) -> None:
    job, picture = queue_for_picture(owner=alice)
    take_one(now=LATER)
    change = album.last
    assert (change.job_id, change.owner_user_id, change.resource_id) == (job.pk, alice.pk, str(picture.pk))
    assert (change.from_status, change.to_status, change.epoch, change.error) == ("queued", "running", 1, "")
    assert album.moments[-1] == LATER
    picture.refresh_from_db()
    assert (picture.status, picture.writes) == ("running", 2)


def test_one_call_of_the_hook_serves_a_batch(album: Album) -> None:
    jobs = [queue_for_picture()[0] for _ in range(4)]
    album.forget()
    take()
    assert [[change.job_id for change in told] for told in album.told] == [[job.pk for job in jobs]]


def test_the_second_claim_keeps_the_first_start(kinds: None) -> None:
    job = queue()
    end(take_one(now=NOON), "retried")
    second = take_one(now=LATER)
    after = row(job)
    assert (after["started_at"], after["epoch"], after["attempt"]) == (NOON, 2, 2)
    assert (second.epoch, second.attempt) == (2, 2)
    assert list(job.attempts.values_list("epoch", "number", "outcome")) == [(1, 1, "failed"), (2, 2, None)]


def test_epoch_and_attempt_part_after_a_release(kinds: None) -> None:
    job = queue()
    end(take_one(), "released")
    second = take_one()
    assert (second.epoch, second.attempt) == (2, 1)
    assert list(job.attempts.values_list("epoch", "number", "outcome")) == [(1, 1, "released"), (2, 1, None)]


def test_a_taken_job_is_not_taken_again(kinds: None) -> None:
    queue()
    take_one()
    assert take() == []


def test_a_job_that_is_not_due_is_not_taken(kinds: None) -> None:
    queue(available_at=NOON + timedelta(microseconds=1))
    assert take(now=NOON) == []
    assert len(take(now=NOON + timedelta(microseconds=1))) == 1
