"""Events that wait for the database are kept in memory, so there is an end to them: 10,000, then the job fails."""

import pytest

from jobs.handlers import JobContext
from jobs.models import JobEvent
from jobs.testing import registered, run_one
from tests.jobs.steps import queue, row, take_one

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("kinds")]


@pytest.mark.parametrize(("count", "status"), [(10_000, "succeeded"), (10_001, "failed")])
def test_events_that_wait(count: int, status: str) -> None:
    def tell(context: JobContext) -> None:
        for number in range(count):
            context.append_event("said", {"number": number})

    with registered("talker", max_attempts=3) as handler:
        handler(tell)
        job = queue("talker")
        assert run_one(take_one()) == status
    assert JobEvent.objects.filter(job=job).count() == 10_000
    assert ("10000 events wait for the database" in row(job)["error_message"]) == (status == "failed")
