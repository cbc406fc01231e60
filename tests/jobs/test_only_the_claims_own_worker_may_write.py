"""Epoch and worker are proved together: the right number under another name opens nothing."""

from dataclasses import replace

import pytest

from jobs.claimed import ClaimedJob
from jobs.events import Event, Progress, append
from jobs.handlers import JobContext, LeaseLost
from jobs.testing import run_of
from jobs.transitions import put_off_finish, renew
from tests.jobs.album import Album
from tests.jobs.steps import ENDINGS, LEASE_SECONDS, NOON, RIVAL, end, everything, queue_for_picture, take_one

pytestmark = pytest.mark.django_db


@pytest.fixture
def forged(album: Album) -> ClaimedJob:
    """A running job's claim, but with a rival's name."""
    queue_for_picture()
    return replace(take_one(), worker=RIVAL)


@pytest.fixture(autouse=True)
def nothing_changes(forged: ClaimedJob) -> object:
    before = everything(forged)
    yield
    assert everything(forged) == before


@pytest.mark.parametrize("ending", ENDINGS)
def test_it_cannot_end_it(forged: ClaimedJob, ending: str) -> None:
    with pytest.raises(LeaseLost):
        end(forged, ending)


def test_nor_say_anything(forged: ClaimedJob) -> None:
    with pytest.raises(LeaseLost):
        append(forged, [Event("step", "{}")], known=0, now=NOON)
    with pytest.raises(LeaseLost):
        append(forged, [], known=0, progress=Progress(1, ""), now=NOON)


def test_nor_write_fenced(forged: ClaimedJob) -> None:
    with pytest.raises(LeaseLost), JobContext(run_of(forged)).fenced():
        pytest.fail("The block ran.")


def test_nor_keep_it_nor_put_it_off(forged: ClaimedJob) -> None:
    put_off_finish(forged, now=NOON)
    renewal = renew([forged], lease_seconds=LEASE_SECONDS, now=NOON)
    assert (renewal.renewed, renewal.lost) == (set(), {forged.key})
