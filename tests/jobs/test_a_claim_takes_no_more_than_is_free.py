"""As many jobs as there are free slots and never more; a reserved kind keeps one slot of a worker for itself."""

from collections.abc import Iterator

import pytest

from jobs.claim import Serves
from jobs.models import Job
from jobs.runtime.held import Held
from jobs.testing import registered, run_of
from tests.jobs.conftest import do_nothing
from tests.jobs.steps import KIND, OTHER_KIND, queue, take

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("kinds")]
URGENT = "diagnosis"


@pytest.fixture
def urgent() -> Iterator[str]:
    """A reserved kind of high priority."""
    with registered(URGENT, reserved=True, priority=100) as handler:
        handler(do_nothing)
        yield URGENT


@pytest.mark.parametrize("free", [1, 2, 5, 6])
def test_never_more_than_free(free: int) -> None:
    for _ in range(3):
        queue(KIND)
        queue(OTHER_KIND)
    assert len(take(free=free)) == free
    assert Job.objects.filter(status="running").count() == free


@pytest.mark.parametrize("free", [0, -1])
def test_no_slot_no_job(free: int) -> None:
    queue()
    assert take(free=free) == []


def test_fewer_jobs_than_slots() -> None:
    queue()
    assert len(take(free=50)) == 1


def test_other_kinds_leave_the_reserved_slot(urgent: str) -> None:
    for _ in range(5):
        queue()
    assert len(take(free=4, free_for_others=3)) == 3
    late = queue(urgent)
    assert [job.id for job in take(free=1, free_for_others=0)] == [late.pk]


def test_a_reserved_kind_may_fill_every_slot(urgent: str) -> None:
    urgents = [queue(urgent).pk for _ in range(5)]
    queue()
    assert [job.id for job in take(free=4, free_for_others=3)] == urgents[:4]


def test_a_full_share_of_others_does_not_hide_a_reserved_job_behind_it(urgent: str) -> None:
    for _ in range(5):
        queue(priority=200)
    waiting = queue(urgent)
    assert [job.kind for job in take(free=2, free_for_others=1)] == [KIND, URGENT]
    assert Job.objects.get(pk=waiting.pk).status == "running"


@pytest.mark.parametrize(
    ("concurrency", "held", "free", "for_others"),
    [
        (4, [], 4, 3),
        (4, [KIND, KIND], 2, 1),
        (4, [KIND, KIND, KIND], 1, 0),
        (4, [URGENT], 3, 3),
        (4, [URGENT, URGENT, KIND], 1, 1),
        (4, [URGENT, KIND, KIND, KIND], 0, 0),
        (2, [KIND], 1, 0),
        (1, [], 1, 1),
    ],
)
def test_the_slots_of_a_worker(urgent: str, concurrency: int, held: list[str], free: int, for_others: int) -> None:
    holding = Held(concurrency=concurrency, serves=Serves())
    for kind in held:
        queue(kind)
    for job in take(free=9):
        holding.add(run_of(job))
    assert holding.free(leaving=[]) == (free, for_others)


def test_a_worker_that_serves_no_reserved_kind_keeps_no_slot(urgent: str) -> None:
    assert Held(concurrency=4, serves=Serves(frozenset({KIND}))).free(leaving=[]) == (4, 4)
