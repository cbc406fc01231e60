"""The commit stood, the connection broke before the answer: the same end again is done, and nothing happens twice."""

from datetime import timedelta

import pytest

from jobs import transitions
from jobs.transitions import request_cancel
from tests.domain.models import Picture
from tests.jobs.album import Album
from tests.jobs.steps import ENDINGS, NOON, RIVAL, end, everything, queue_for_picture, take, take_one

pytestmark = pytest.mark.django_db
LATER = NOON + timedelta(seconds=1)


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_same_end_again_is_done(album: Album, ending: str) -> None:
    queue_for_picture()
    claimed = take_one()
    status = end(claimed, ending)
    before = everything(claimed)
    album.forget()
    assert end(claimed, ending, now=LATER) == status
    assert (everything(claimed), album.told) == (before, [])


@pytest.mark.parametrize("ending", ENDINGS)
def test_also_where_it_became_something_else(album: Album, ending: str) -> None:
    """A cancel request had turned a success into a cancel, a used-up budget a retry into a failure."""
    job, _ = queue_for_picture(max_attempts=1)
    claimed = take_one()
    request_cancel(job.pk, now=NOON)
    status = end(claimed, ending)
    before = everything(claimed)
    assert end(claimed, ending, now=LATER) == status
    assert everything(claimed) == before


@pytest.mark.parametrize("ending", ["retried", "timed_out", "released", "snoozed"])
def test_also_when_a_rival_has_the_job_by_now(album: Album, ending: str) -> None:
    queue_for_picture()
    claimed = take_one()
    end(claimed, ending)
    take(worker=RIVAL, now=NOON + timedelta(minutes=2))
    before = everything(claimed)
    assert end(claimed, ending, now=NOON + timedelta(minutes=2)) == "running"
    assert everything(claimed) == before


def test_its_finish_does_not_run_twice(album: Album) -> None:
    _, picture = queue_for_picture()
    claimed = take_one()
    ran: list[int] = []

    def write() -> None:
        ran.append(Picture.objects.filter(pk=picture.pk).update(writes=100))

    for now in (NOON, LATER):
        assert transitions.finish(claimed, ENDINGS["succeeded"](), domain=write, now=now) == "succeeded"
    assert len(ran) == 1


def test_a_batch_that_stands_already_is_refused_and_each_is_then_done(album: Album) -> None:
    for _ in range(3):
        queue_for_picture()
    batch = [(job, ENDINGS["succeeded"]()) for job in take()]
    transitions.finish_together(batch, now=NOON)
    album.forget()
    with pytest.raises(transitions.BatchRefused):
        transitions.finish_together(batch, now=LATER)
    assert [transitions.finish(job, ending, now=LATER) for job, ending in batch] == ["succeeded"] * 3
    assert album.told == []
