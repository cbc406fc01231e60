"""A viewer holds one page; one that does not read it is ended, and goes on where it was when it comes back."""

import pytest

from jobs import stream as streams
from jobs import stream_pages
from jobs.states import RUNNING, SUCCEEDED
from oncall.models import User
from tests.jobs.api.streams import Frame, in_a_loop, later, watching
from tests.jobs.factories import add_event, make_job

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream_pages, "PAGE_EVENTS", 10)


@in_a_loop
async def test_one_that_stops_reading(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "SLOW_SECONDS", 0.1)
    job = await later(make_job, owner=alice, status=SUCCEEDED, events=95)
    async with watching(job, alice) as slow:
        first = await slow.next()
        (viewer,) = streams.hub.viewers()
        while streams.hub.viewers():  # It is not read from meanwhile; every look lets the other threads run.
            await later(job.refresh_from_db)
        assert viewer.over
        seen = [first, *await slow.rest()]
    last = seen[-1]
    assert isinstance(last, Frame) and last.id is not None and last.id < 95
    assert [frame.id for frame in seen if frame] == list(range(1, last.id + 1))
    async with watching(job, alice, Last_Event_ID=str(last.id)) as again:
        rest = await again.rest()
    assert [frame.id for frame in rest] == [*range(last.id + 1, 96), None]


@in_a_loop
async def test_news_that_came_while_its_page_was_full(alice: User) -> None:
    job = await later(make_job, owner=alice, status=RUNNING, events=15)
    async with watching(job, alice) as stream:
        ids = [frame.id for frame in [await stream.next() for _ in range(11)] if frame]  # The first page, to its end.
        (viewer,) = streams.hub.viewers()
        while viewer.has_room:
            await later(job.refresh_from_db)
        await later(add_event, job)
        while not viewer.waits_for_room:
            await later(job.refresh_from_db)
        ids += [frame.id for frame in [await stream.next() for _ in range(6)] if frame]
    assert ids == [None, *range(1, 17)]


@in_a_loop
async def test_one_that_reads_page_by_page(alice: User) -> None:
    job = await later(make_job, owner=alice, status=RUNNING, events=40)
    async with watching(job, alice) as stream:
        ids = []
        for number in range(41, 81):
            await later(add_event, job)
            frame = await stream.next()
            assert frame is not None and number
            ids.append(frame.id)
        while len(ids) < 81:
            frame = await stream.next()
            assert frame is not None
            ids.append(frame.id)
    assert [id for id in ids if id is not None] == list(range(1, 81))
