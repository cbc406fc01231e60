"""Priority first (high first), then who was available first, then who was made first, then the id."""

import random
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from jobs.models import Job
from jobs.testing import registered
from tests.jobs.conftest import do_nothing
from tests.jobs.steps import KIND, NOON, OTHER_KIND, end, queue, take, take_one

SECOND = timedelta(seconds=1)


def in_order(job: Job) -> tuple[object, ...]:
    return (-job.priority, job.available_at, job.created_at, job.pk)


@pytest.mark.django_db
@pytest.mark.usefixtures("kinds")
class TestByHand:
    def test_a_high_priority_goes_first(self) -> None:
        low, high, middle = (queue(priority=priority) for priority in (-5, 10, 0))
        assert [job.id for job in take()] == [high.pk, middle.pk, low.pk]

    def test_then_who_was_available_first(self) -> None:
        late = queue(available_at=NOON, now=NOON - 2 * SECOND)
        early = queue(available_at=NOON - SECOND, now=NOON - 2 * SECOND)
        assert [job.id for job in take()] == [early.pk, late.pk]

    def test_a_delayed_job_takes_its_place_by_its_due_time(self) -> None:
        delayed = queue(available_at=NOON + SECOND, now=NOON)
        fresh = queue(now=NOON + 2 * SECOND)
        assert [job.id for job in take(now=NOON + 3 * SECOND)] == [delayed.pk, fresh.pk]

    def test_then_who_was_made_first(self) -> None:
        second = queue(available_at=NOON, now=NOON - SECOND)
        first = queue(available_at=NOON, now=NOON - 2 * SECOND)
        assert [job.id for job in take()] == [first.pk, second.pk]

    def test_then_the_id(self) -> None:
        made = [queue(kind) for _ in range(10) for kind in (KIND, OTHER_KIND)]
        assert [job.id for job in take(free=20)] == [job.pk for job in made]

    def test_kinds_do_not_matter(self) -> None:
        made = [queue(kind, now=NOON + n * SECOND) for n, kind in enumerate([OTHER_KIND, KIND, KIND, OTHER_KIND])]
        got = [take_one(now=NOON + 9 * SECOND).id for _ in made]
        assert got == [job.pk for job in made]

    def test_a_returned_job_stands_behind_who_was_ready_before(self) -> None:
        first = queue(now=NOON)
        claimed = take_one()
        waiting = queue(now=NOON + SECOND)
        end(claimed, "released", now=NOON + 2 * SECOND)
        assert [job.id for job in take(now=NOON + 2 * SECOND)] == [waiting.pk, first.pk]


class TestAnyMix(TestCase):
    """Whatever the mix, jobs come out in one order, however many are taken at a time."""

    @settings(max_examples=20)
    @given(
        jobs=st.lists(
            st.tuples(
                st.sampled_from([KIND, OTHER_KIND, "film"]), st.integers(-1, 1), st.integers(-3, 3), st.integers(1, 3)
            ),
            max_size=14,
        ),
        free=st.integers(1, 6),
    )
    def test_the_order(self, jobs: list[tuple[str, int, int, int]], free: int) -> None:
        with registered(KIND) as one, registered(OTHER_KIND) as two, registered("film") as three:
            for register in (one, two, three):
                register(do_nothing)
            made = [
                queue(kind, priority=priority, available_at=NOON + due * SECOND / 7, now=NOON - age * SECOND)
                for kind, priority, due, age in jobs
            ]
        random.Random(1).shuffle(made)
        got: list[str] = []
        while batch := take(free=free, now=NOON + SECOND):
            assert len(batch) <= free
            got += [job.id for job in batch]
        assert got == [job.pk for job in sorted(made, key=in_order)]
