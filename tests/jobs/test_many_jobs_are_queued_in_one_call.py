"""``enqueue_many``: one transaction, one call of the hook, the answer in the items' order; all or nothing."""

import pytest

from jobs.enqueue import UnknownKind, enqueue_many
from jobs.models import Job
from jobs.payloads import InvalidJson
from jobs.testing import registered
from oncall.models import User
from tests.jobs.album import Album
from tests.jobs.conftest import do_nothing
from tests.jobs.steps import KIND, NOON, take

pytestmark = pytest.mark.django_db


def test_the_answer_has_the_items_order(kinds: None, alice: User) -> None:
    jobs = enqueue_many(KIND, owner=alice, items=[{"payload": {"n": n}} for n in range(50)], now=NOON)
    assert [job.payload["n"] for job in jobs] == list(range(50))
    assert [job.payload["n"] for job in take(free=50)] == list(range(50))


def test_the_domain_is_told_of_all_at_once(album: Album, alice: User) -> None:
    items = [{"resource": ("picture", str(n))} for n in range(5)]
    jobs = enqueue_many(KIND, owner=alice, items=items, now=NOON)
    assert [[change.job_id for change in told] for told in album.told] == [[job.pk for job in jobs]]


def test_limits_come_from_the_kind(alice: User) -> None:
    with registered("film", max_attempts=5, timeout_seconds=60, priority=7) as handler:
        handler(do_nothing)
        (job,) = enqueue_many("film", owner=alice, items=[{}], now=NOON)
    assert (job.max_attempts, job.timeout_seconds, job.priority, job.payload) == (5, 60, 7, {})


def test_nothing_is_asked_for_and_nothing_made(album: Album, alice: User) -> None:
    assert enqueue_many(KIND, owner=alice, items=[], now=NOON) == []
    assert album.told == []


def test_one_bad_item_leaves_none(album: Album, alice: User) -> None:
    with pytest.raises(InvalidJson):
        enqueue_many(KIND, owner=alice, items=[{}, {"payload": {"n": float("nan")}}], now=NOON)
    with pytest.raises(UnknownKind):
        enqueue_many("nobody_serves_this", owner=alice, items=[{}], now=NOON)
    assert (Job.objects.count(), album.told) == (0, [])


def test_a_thousand_items_in_one_call(kinds: None, alice: User) -> None:
    items = [{"resource": ("film", str(n))} for n in range(1_000)]
    jobs = enqueue_many(KIND, owner=alice, items=items, now=NOON)
    assert (len({job.pk for job in jobs}), Job.objects.count()) == (1_000, 1_000)
