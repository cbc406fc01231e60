"""Transition 3: a lease is extended for (id, epoch) and for nothing less; the worker hears which are lost."""

from datetime import datetime, timedelta

import pytest

from jobs.claim import reclaim
from jobs.claimed import ClaimedJob
from jobs.models import Job
from jobs.transitions import renew, request_cancel
from oncall.models import User
from tests.jobs.album import Album
from tests.jobs.steps import (
    ENDINGS,
    LEASE_SECONDS,
    ME,
    NOON,
    RIVAL,
    changed,
    end,
    everything,
    queue,
    queue_for_picture,
    row,
    take,
    take_one,
)

pytestmark = pytest.mark.django_db
TEN = timedelta(seconds=10)
LEASE = timedelta(seconds=LEASE_SECONDS)
EXPIRED = NOON + LEASE + timedelta(seconds=1)


def beat(*jobs: ClaimedJob, now: datetime = NOON + TEN) -> tuple[set[tuple[str, int]], set[tuple[str, int]]]:
    renewal = renew(jobs, lease_seconds=LEASE_SECONDS, now=now)
    return renewal.renewed, renewal.lost


def test_a_renewal_moves_the_expiry_and_nothing_else(album: Album, alice: User) -> None:
    queue_for_picture(owner=alice)
    claimed = take_one()
    before = everything(claimed)
    album.forget()
    assert beat(claimed) == ({claimed.key}, set())
    after = row(claimed)
    assert {name: after[name] for name in changed(before[0], after)} == {"lease_expires_at": NOON + TEN + LEASE}
    assert (everything(claimed)[1:], album.told) == (before[1:], [])


def test_nothing_held_nothing_renewed() -> None:
    assert beat() == (set(), set())


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_attempt_that_is_over_is_lost(kinds: None, ending: str) -> None:
    queue()
    claimed = take_one()
    end(claimed, ending)
    before = everything(claimed)
    assert beat(claimed) == (set(), {claimed.key})
    assert everything(claimed) == before


def test_a_lease_that_a_rival_has_is_lost(kinds: None) -> None:
    queue()
    mine = take_one()
    reclaim(now=EXPIRED)
    theirs = take_one(worker=RIVAL, now=EXPIRED)
    before = everything(mine)
    assert beat(mine, now=EXPIRED + TEN) == (set(), {mine.key})
    assert everything(mine) == before
    assert beat(theirs, now=EXPIRED + TEN) == ({theirs.key}, set())


def test_the_same_worker_may_hold_the_job_again_but_not_by_its_old_claim(kinds: None) -> None:
    queue()
    old = take_one()
    reclaim(now=EXPIRED)
    new = take_one(now=EXPIRED)
    assert (old.worker, new.worker, old.id) == (ME, ME, new.id)
    assert beat(old, now=EXPIRED + TEN) == (set(), {old.key})
    assert row(new)["lease_expires_at"] == EXPIRED + LEASE
    assert beat(old, new, now=EXPIRED + TEN) == ({new.key}, {old.key})


def test_of_many_each_gets_its_own_answer(kinds: None) -> None:
    for _ in range(4):
        queue()
    kept, ended, cancelled, gone = take()
    end(ended, "released")
    request_cancel(cancelled.id, now=NOON)
    Job.objects.filter(pk=gone.id).delete()
    renewal = renew([kept, ended, cancelled, gone], lease_seconds=LEASE_SECONDS, now=NOON + TEN)
    assert renewal.renewed == {kept.key, cancelled.key}
    assert renewal.lost == {ended.key, gone.key}
    assert renewal.cancel_requested == {cancelled.key}


def test_an_expired_lease_that_nobody_took_back_is_still_ours(kinds: None) -> None:
    queue()
    claimed = take_one()
    assert beat(claimed, now=EXPIRED) == ({claimed.key}, set())
    assert reclaim(now=EXPIRED) == 0
