"""The fence: whatever an attempt writes, once its claim is over nothing of it stands, not even for the same worker."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from jobs import transitions
from jobs.claim import reclaim
from jobs.claimed import ClaimedJob
from jobs.events import Event, Progress, append
from jobs.handlers import JobContext, LeaseLost
from jobs.testing import run_of
from jobs.transitions import put_off_finish, request_cancel
from tests.domain.models import Picture
from tests.jobs.album import Album
from tests.jobs.steps import ENDINGS, ME, NOON, RIVAL, end, everything, queue_for_picture, take_one

pytestmark = pytest.mark.django_db
EXPIRED = NOON + timedelta(seconds=31)


def expired(job: ClaimedJob) -> None:
    reclaim(now=EXPIRED)


def taken_by_a_rival(job: ClaimedJob) -> None:
    reclaim(now=EXPIRED)
    take_one(worker=RIVAL, now=EXPIRED)


def taken_again_by_the_same_worker(job: ClaimedJob) -> None:
    reclaim(now=EXPIRED)
    assert take_one(worker=ME, now=EXPIRED).id == job.id


def finished_by_a_rival(job: ClaimedJob) -> None:
    taken_by_a_rival(job)
    end(replace(job, epoch=2, attempt=2, worker=RIVAL), "succeeded", now=EXPIRED)


def cancelled_after_its_expiry(job: ClaimedJob) -> None:
    request_cancel(job.id, now=NOON)
    reclaim(now=EXPIRED)


WAYS_TO_LOSE: list[Callable[[ClaimedJob], None]] = [
    expired,
    taken_by_a_rival,
    taken_again_by_the_same_worker,
    finished_by_a_rival,
    cancelled_after_its_expiry,
]


@pytest.fixture(params=WAYS_TO_LOSE, ids=lambda way: way.__name__)
def lost(request: pytest.FixtureRequest, album: Album) -> ClaimedJob:
    """A claim that is over, in each of the ways in which that comes about."""
    queue_for_picture()
    claimed = take_one()
    append(claimed, [Event("step", "{}")], known=0, now=NOON)
    request.param(claimed)
    album.forget()
    return claimed


@pytest.fixture(autouse=True)
def nothing_changes(lost: ClaimedJob, album: Album) -> object:
    before = everything(lost), list(Picture.objects.values())
    yield
    assert (everything(lost), list(Picture.objects.values()), album.told) == (*before, [])


@pytest.mark.parametrize("ending", ENDINGS)
def test_it_cannot_end_it(lost: ClaimedJob, ending: str) -> None:
    with pytest.raises(LeaseLost):
        end(lost, ending, now=EXPIRED)


def test_nor_run_its_finish(lost: ClaimedJob) -> None:
    with pytest.raises(LeaseLost):
        transitions.finish(lost, ENDINGS["succeeded"](), domain=lambda: pytest.fail("The finish ran."), now=EXPIRED)


def test_nor_end_it_among_others(lost: ClaimedJob) -> None:
    with pytest.raises(transitions.BatchRefused):
        transitions.finish_together([(lost, ENDINGS["succeeded"]())], now=EXPIRED)


def test_nor_say_anything(lost: ClaimedJob) -> None:
    for known in (0, 1, 2):
        with pytest.raises(LeaseLost):
            append(lost, [Event("late", "{}")], known=known, now=EXPIRED)


def test_nor_report_progress(lost: ClaimedJob) -> None:
    with pytest.raises(LeaseLost):
        append(lost, [], known=1, progress=Progress(0.5, "half"), now=EXPIRED)
    with pytest.raises(LeaseLost):
        append(lost, [Event("late", "{}")], known=1, progress=Progress(0.5, "half"), now=EXPIRED)


def test_nor_write_fenced(lost: ClaimedJob) -> None:
    with pytest.raises(LeaseLost), JobContext(run_of(lost)).fenced():
        pytest.fail("The block ran.")


def test_nor_keep_it(lost: ClaimedJob) -> None:
    renewal = transitions.renew([lost], lease_seconds=30, now=EXPIRED)
    assert (renewal.renewed, renewal.lost) == (set(), {lost.key})


def test_nor_put_it_off(lost: ClaimedJob) -> None:
    put_off_finish(lost, now=EXPIRED)
