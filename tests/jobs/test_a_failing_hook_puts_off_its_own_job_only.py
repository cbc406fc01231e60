"""A domain that refuses: the job it refuses waits or fails, the jobs beside it go on, nothing is half done."""

from datetime import timedelta

import pytest

from jobs import handlers
from jobs.claim import reclaim
from jobs.claimed import ClaimedJob
from jobs.handlers import Handler, JobContext
from jobs.models import Job, JobAttempt
from jobs.testing import run_one
from jobs.transitions import request_cancel
from tests.domain.models import Picture
from tests.jobs.album import Album
from tests.jobs.steps import (
    LEASE_SECONDS,
    ME,
    NOON,
    attempt_of,
    changed,
    everything,
    outcomes,
    queue,
    queue_for_picture,
    row,
    take,
    take_one,
)

pytestmark = pytest.mark.django_db
SHUT = "The album is shut."
HALF_A_MINUTE = timedelta(seconds=30)
EXPIRED = NOON + timedelta(seconds=LEASE_SECONDS + 1)


def three(album: Album) -> list[tuple[Job, Picture]]:
    return [queue_for_picture() for _ in range(3)]


def test_at_a_claim_it_is_put_off_and_the_others_are_claimed(album: Album) -> None:
    (first, _), (bad, picture), (last, _) = three(album)
    album.refuse("running", job=bad)
    before = row(bad)
    assert [job.id for job in take()] == [first.pk, last.pk]
    after = row(bad)
    assert changed(before, after) == {"available_at", "fair_tag", "error_message"}
    assert (after["available_at"], after["fair_tag"]) == (NOON + HALF_A_MINUTE, None)
    assert (after["epoch"], after["attempt"], after["started_at"]) == (0, 0, None)
    assert SHUT in after["error_message"]
    assert not JobAttempt.objects.filter(job=bad).exists()
    picture.refresh_from_db()
    assert (picture.status, picture.writes) == ("queued", 1)


def test_the_others_domain_rows_are_written_once(album: Album) -> None:
    (_, one), (bad, _), (_, two) = three(album)
    album.refuse("running", job=bad)
    take()
    for picture in (one, two):
        picture.refresh_from_db()
        assert (picture.status, picture.writes) == ("running", 2)


def test_after_half_a_minute_it_is_tried_again(album: Album) -> None:
    job, _ = queue_for_picture()
    album.refuse("running")
    assert take() == []
    album.refuse()
    assert take(now=NOON + HALF_A_MINUTE - timedelta(microseconds=1)) == []
    again = take_one(now=NOON + HALF_A_MINUTE)
    assert (again.id, again.epoch, again.attempt) == (job.pk, 1, 1)


def test_a_domain_that_refuses_everything_hinders_no_other_kind_of_job(album: Album) -> None:
    three(album)
    other = queue()
    album.refuse("running")
    assert [job.id for job in take()] == [other.pk]


def test_a_long_reason_is_cut(album: Album) -> None:
    job, _ = queue_for_picture()
    album.refuse("running")
    album.error = lambda: ValueError("x" * 5_000)
    take()
    assert len(row(job)["error_message"]) <= 1_000


def test_at_a_reclaim_it_is_put_off_and_the_others_are_taken_back(album: Album) -> None:
    (first, _), (bad, picture), (last, _) = three(album)
    take()
    album.refuse("queued", job=bad)
    before = everything(bad)
    reclaim(now=EXPIRED)
    after = row(bad)
    assert changed(before[0], after) == {"lease_expires_at"}
    assert after["lease_expires_at"] == EXPIRED + HALF_A_MINUTE
    assert everything(bad)[1:] == before[1:]
    picture.refresh_from_db()
    assert (picture.status, picture.writes) == ("running", 2)
    for job in (first, last):
        assert (row(job)["status"], outcomes(job)) == ("queued", ["lost"])
    assert reclaim(now=EXPIRED + HALF_A_MINUTE) == 0
    album.refuse()
    assert reclaim(now=EXPIRED + HALF_A_MINUTE + timedelta(microseconds=1)) == 1
    assert outcomes(bad) == ["lost"]


def run(job: ClaimedJob, handler: Handler = lambda context: {"pages": 3}) -> str | None:
    handlers.unregister(job.kind)
    handlers.job_handler(job.kind)(handler)
    return run_one(job, now=NOON)


def test_at_a_success_the_attempt_fails_with_that_error(album: Album) -> None:
    job, picture = queue_for_picture()
    claimed = take_one()
    album.refuse("succeeded")
    assert run(claimed) == "queued"
    after = row(job)
    assert (after["error_message"], after["result"], after["available_at"]) == (SHUT, None, NOON + timedelta(seconds=2))
    attempt = attempt_of(job)
    assert (attempt.outcome, attempt.error_class, attempt.error_message) == ("failed", "Refused", SHUT)
    picture.refresh_from_db()
    assert (picture.status, picture.writes) == ("queued", 3)


def test_at_the_last_attempt_the_job_fails_with_it(album: Album) -> None:
    job, picture = queue_for_picture(max_attempts=1)
    claimed = take_one()
    album.refuse("succeeded")
    assert run(claimed) == "failed"
    picture.refresh_from_db()
    assert (row(job)["error_message"], picture.status) == (SHUT, "failed")


def test_what_the_handlers_finish_wrote_is_undone_with_it(album: Album) -> None:
    _, picture = queue_for_picture()
    ran: list[int] = []

    def write(context: JobContext) -> None:
        context.finish(lambda: ran.append(Picture.objects.filter(pk=picture.pk).update(writes=100)))

    album.refuse("succeeded")
    assert run(take_one(), write) == "queued"
    picture.refresh_from_db()
    assert (ran, picture.writes) == ([1], 3)


def test_a_domain_that_refuses_every_ending_leaves_the_job_to_the_reclaim(album: Album) -> None:
    job, picture = queue_for_picture()
    claimed = take_one()
    album.refuse("succeeded", "failed", "queued", "cancelled")
    assert run(claimed) is None
    after = row(job)
    assert (after["status"], after["epoch"], after["attempt"]) == ("running", 1, 1)
    assert (after["lease_owner"], after["lease_expires_at"]) == (ME, NOON + HALF_A_MINUTE)
    assert outcomes(job) == [None]
    album.refuse()
    assert reclaim(now=NOON + HALF_A_MINUTE + timedelta(microseconds=1)) == 1
    assert (row(job)["status"], outcomes(job)) == ("queued", ["lost"])
    picture.refresh_from_db()
    assert picture.status == "queued"


def test_a_domain_that_refuses_the_cancel_fails_the_job_without_another_attempt(album: Album) -> None:
    job, picture = queue_for_picture()
    claimed = take_one()
    request_cancel(job.pk, now=NOON)
    album.refuse("cancelled")
    assert run(claimed) == "failed"
    picture.refresh_from_db()
    assert (row(job)["error_message"], picture.status, outcomes(job)) == (SHUT, "failed", ["failed"])


def test_a_hook_that_breaks_the_transaction_is_one_that_raises(album: Album) -> None:
    """A wrong statement spoils a transaction on PostgreSQL; the savepoint around the hook keeps ours whole."""
    (first, _), (bad, _), (last, _) = three(album)

    def write_nonsense() -> Exception:
        Picture.objects.create(writes=None)
        raise AssertionError("not reached")

    album.refuse("running", job=bad)
    album.error = write_nonsense
    assert [job.id for job in take()] == [first.pk, last.pk]
    assert row(bad)["available_at"] == NOON + HALF_A_MINUTE


def test_a_domain_row_that_is_gone_hinders_nothing(album: Album) -> None:
    job, picture = queue_for_picture()
    picture.delete()
    claimed = take_one()
    request_cancel(job.pk, now=NOON)
    assert run(claimed) == "cancelled"
