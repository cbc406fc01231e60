"""A stream ends after the terminal state: every event first, then the job, then nothing. Also without a last event."""

import pytest
from django.utils import timezone

from jobs import transitions
from jobs.models import Job, JobAttempt
from jobs.states import CANCELLED, FAILED, QUEUED, RUNNING, SUCCEEDED, TERMINAL
from oncall.models import User
from tests.jobs.api.streams import Frame, in_a_loop, later, watching
from tests.jobs.factories import add_event, make_job

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("status", sorted(TERMINAL))
@pytest.mark.parametrize("events", [0, 3])
@in_a_loop
async def test_of_a_finished_job(alice: User, status: str, events: int) -> None:
    job = await later(make_job, owner=alice, status=status, events=events)
    async with watching(job, alice) as stream:
        frames = await stream.rest()
    assert [frame.id for frame in frames] == [*range(1, events + 1), None]
    assert_is_job(frames[-1], status)
    assert [frame.event for frame in frames].count("job") == 1


@in_a_loop
async def test_a_cancel_says_nothing_and_ends_it(alice: User) -> None:
    job = await later(make_job, owner=alice, status=QUEUED)
    async with watching(job, alice) as stream:
        assert_is_job(await stream.next(), QUEUED)
        await later(transitions.request_cancel, job.pk)
        (last,) = await stream.rest()
    assert_is_job(last, CANCELLED)


@pytest.mark.parametrize("status", [SUCCEEDED, FAILED, CANCELLED])
@in_a_loop
async def test_an_end_right_after_the_last_event_was_read(alice: User, status: str) -> None:
    job = await later(make_job, owner=alice, status=RUNNING, events=2)
    async with watching(job, alice) as stream:
        assert [await event_id(stream) for _ in range(3)] == [None, 1, 2]
        await later(end, job, status)
        (last,) = await stream.rest()
    assert_is_job(last, status)


@in_a_loop
async def test_events_of_the_ending_transaction_come_before_the_end(alice: User) -> None:
    job = await later(make_job, owner=alice, status=RUNNING, events=1)
    async with watching(job, alice, after=1) as stream:
        await stream.next()
        await later(add_event, job)
        await later(add_event, job)
        await later(end, job, SUCCEEDED)
        frames = await stream.rest()
    assert [frame.id for frame in frames if frame.event != "job"] == [2, 3]
    assert_is_job(frames[-1], SUCCEEDED)


@in_a_loop
async def test_a_change_of_the_job_is_told_without_an_id(alice: User) -> None:
    job = await later(make_job, owner=alice, status=RUNNING, events=1)
    async with watching(job, alice) as stream:
        first, _ = await stream.next(), await stream.next()
        assert_is_job(first, RUNNING)
        await later(transitions.request_cancel, job.pk)
        asked = await stream.next()
        assert_is_job(asked, RUNNING)
        assert asked is not None and asked.data["cancelRequestedAt"] is not None
        await later(Job.objects.filter(pk=job.pk).update, progress=0.5, progress_message="half")
        half = await stream.next()
        assert half is not None and (half.data["progress"], half.data["progressMessage"]) == (0.5, "half")


@in_a_loop
async def test_a_renewed_lease_is_no_news(alice: User) -> None:
    job = await later(make_job, owner=alice, status=RUNNING)
    async with watching(job, alice) as stream:
        await stream.next()
        await later(Job.objects.filter(pk=job.pk).update, lease_expires_at=timezone.now())
        await later(add_event, job)
        said = await stream.next()
        assert said is not None and said.id == 1


@in_a_loop
async def test_a_job_that_is_pruned_ends_it(alice: User) -> None:
    job = await later(make_job, owner=alice, status=RUNNING)
    async with watching(job, alice) as stream:
        await stream.next()
        await later(job.delete)
        assert await stream.rest() == []


async def event_id(stream: object) -> int | None:
    frame = await stream.next()  # type: ignore[attr-defined]
    assert frame is not None
    return frame.id


def end(job: Job, status: str) -> None:
    """As a worker's transition would: the attempt and the job together."""
    now = timezone.now()
    JobAttempt.objects.filter(job=job, outcome=None).update(outcome=status, ended_at=now)
    values = {"lease_owner": None, "lease_expires_at": None, "completed_at": now, "updated_at": now}
    Job.objects.filter(pk=job.pk).update(status=status, **values)


def assert_is_job(frame: Frame | None, status: str) -> None:
    assert frame is not None
    assert (frame.id, frame.event, frame.data["status"]) == (None, "job", status)
    assert "payload" not in frame.data
