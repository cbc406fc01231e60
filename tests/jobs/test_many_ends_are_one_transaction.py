"""``finish_together``: every attempt by the first edge of its ending, one call of the hook; all of them or none."""

import pytest

from jobs.claimed import ClaimedJob
from jobs.resources import HookFailed
from jobs.transitions import BatchRefused, finish_together, request_cancel
from tests.domain.models import Picture
from tests.jobs.album import Album
from tests.jobs.steps import ENDINGS, NOON, end, everything, outcomes, queue_for_picture, row, take

pytestmark = pytest.mark.django_db
AFTER = {
    "succeeded": "succeeded",
    "failed": "failed",
    "retried": "queued",
    "timed_out": "queued",
    "cancelled": "cancelled",
    "released": "queued",
    "snoozed": "queued",
}


@pytest.fixture
def running(album: Album) -> list[ClaimedJob]:
    """One running job for each ending."""
    for _ in ENDINGS:
        queue_for_picture()
    jobs = take()
    album.forget()
    return jobs


def state(jobs: list[ClaimedJob]) -> object:
    return [everything(job) for job in jobs], list(Picture.objects.order_by("pk").values())


def test_each_ends_in_its_own_way(running: list[ClaimedJob], album: Album) -> None:
    finish_together([(job, ENDINGS[name]()) for job, name in zip(running, ENDINGS, strict=True)], now=NOON)
    assert [row(job)["status"] for job in running] == [AFTER[name] for name in ENDINGS]
    wanted = [["failed" if name == "retried" else name] for name in ENDINGS]
    assert [outcomes(job) for job in running] == wanted
    statuses = Picture.objects.order_by("pk").values_list("status", flat=True)
    assert list(statuses) == [AFTER[name] for name in ENDINGS]


def test_its_domain_is_told_once(running: list[ClaimedJob], album: Album) -> None:
    finish_together([(job, ENDINGS["succeeded"]()) for job in running], now=NOON)
    assert [[change.job_id for change in told] for told in album.told] == [[job.id for job in running]]


def test_it_ends_exactly_as_one_by_one(running: list[ClaimedJob], album: Album) -> None:
    """Whatever the company, the row is the same."""
    one, other = running[:2]
    end(one, "retried")
    finish_together([(other, ENDINGS["retried"]())], now=NOON)
    own = {"id", "resource_id", "created_at"}
    assert {k: v for k, v in row(one).items() if k not in own} == {k: v for k, v in row(other).items() if k not in own}


@pytest.mark.parametrize("place", [0, 3, -1])
def test_one_that_is_lost_undoes_all(running: list[ClaimedJob], album: Album, place: int) -> None:
    end(running[place], "released")
    before = state(running)
    with pytest.raises(BatchRefused):
        finish_together([(job, ENDINGS["succeeded"]()) for job in running], now=NOON)
    assert state(running) == before


def test_one_that_is_to_be_cancelled_undoes_all(running: list[ClaimedJob], album: Album) -> None:
    request_cancel(running[2].id, now=NOON)
    before = state(running)
    with pytest.raises(BatchRefused):
        finish_together([(job, ENDINGS["succeeded"]()) for job in running], now=NOON)
    assert state(running) == before


def test_a_domain_that_refuses_one_undoes_all(running: list[ClaimedJob], album: Album) -> None:
    album.refuses = lambda change: change.job_id == running[4].id
    before = state(running)
    with pytest.raises(HookFailed):
        finish_together([(job, ENDINGS["succeeded"]()) for job in running], now=NOON)
    assert state(running) == before


def test_nothing_to_end(album: Album) -> None:
    finish_together([], now=NOON)
    assert album.told == []
