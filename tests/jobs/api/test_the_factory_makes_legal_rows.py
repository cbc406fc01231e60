"""What ``make_job`` builds is what the transitions would have left: the other tests stand on it."""

import pytest

from jobs.models import JobAttempt
from jobs.states import STATUSES, Outcome
from oncall.models import User
from tests.jobs.factories import make_job

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("earlier", [None, [Outcome.LOST, Outcome.RELEASED]])
@pytest.mark.parametrize("events", [0, 3])
def test_rows_agree(alice: User, status: str, earlier: list[str] | None, events: int) -> None:
    job = make_job(status=status, owner=alice, attempts=earlier, events=events)
    job.refresh_from_db()
    rows = list(JobAttempt.objects.filter(job=job))
    charged = [row for row in rows if row.outcome not in Outcome.NOT_CHARGED]
    assert (job.epoch, job.attempt) == (len(rows), len(charged))
    assert sum(row.outcome is None for row in rows) == (status == "running")
    assert list(job.events.values_list("sequence", flat=True)) == list(range(1, job.event_seq + 1))
    assert job.full_clean() is None
