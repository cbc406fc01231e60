"""After a cursor n comes n+1, in order; the larger of ``Last-Event-ID`` and ``afterSequence`` is the cursor."""

import pytest

from jobs.models import Job
from jobs.states import RUNNING, SUCCEEDED
from oncall.models import User
from tests.jobs.api.streams import in_a_loop, later, watching
from tests.jobs.factories import add_event, make_job

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("after", "last_event_id", "first"),
    [(None, None, 1), (7, None, 8), (None, "7", 8), (3, "7", 8), (7, "3", 8), (0, "0", 1), (None, "", 1)],
)
@in_a_loop
async def test_resumed_at_n_starts_after_n(alice: User, after: int, last_event_id: str | None, first: int) -> None:
    job = await later(make_job, owner=alice, status=SUCCEEDED, events=10)
    headers = {} if last_event_id is None else {"Last_Event_ID": last_event_id}
    async with watching(job, alice, after=after, **headers) as stream:
        frames = await stream.rest()
    assert [frame.id for frame in frames] == [*range(first, 11), None]
    assert [frame.data["sequence"] for frame in frames[:-1]] == list(range(first, 11))


@in_a_loop
async def test_a_cursor_beyond_the_end_waits_for_what_comes_after_it(alice: User) -> None:
    job = await later(make_job, owner=alice, status=RUNNING, events=3)
    async with watching(job, alice, after=4) as stream:
        assert (await stream.next()).event == "job"  # type: ignore[union-attr]
        await later(add_event, job)
        await later(add_event, job)
        assert (await stream.next()).id == 5  # type: ignore[union-attr]


@in_a_loop
async def test_a_long_log_is_given_whole(alice: User) -> None:
    job = await later(make_job, owner=alice, status=SUCCEEDED, events=950)
    async with watching(job, alice) as stream:
        frames = await stream.rest()
    assert [frame.id for frame in frames] == [*range(1, 951), None]


@in_a_loop
async def test_large_payloads_are_given_whole(alice: User) -> None:
    big = [("page", {"text": "x" * 200_000}) for _ in range(12)]
    job = await later(make_job, owner=alice, status=SUCCEEDED, events=big)
    async with watching(job, alice) as stream:
        frames = await stream.rest()
    assert [frame.id for frame in frames] == [*range(1, 13), None]
    assert all(len(frame.data["payload"]["text"]) == 200_000 for frame in frames[:-1])


@in_a_loop
async def test_events_come_as_they_are_said(alice: User) -> None:
    job = await later(make_job, owner=alice, status=RUNNING)
    async with watching(job, alice) as stream:
        await stream.next()
        for number in range(1, 6):
            await later(add_event, await later(Job.objects.get, pk=job.pk), "said", {"n": number})
            frame = await stream.next()
            assert frame is not None
            assert (frame.id, frame.event, frame.data["payload"]) == (number, "said", {"n": number})
