"""However many viewers: one reader, one connection, and no thread, connection or transaction of their own."""

import threading
from contextlib import AsyncExitStack
from typing import Any

import pytest
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

from jobs import stream as streams
from jobs.states import RUNNING
from oncall.models import User
from tests.jobs.api.streams import in_a_loop, later, watching
from tests.jobs.factories import add_event, make_job

pytestmark = pytest.mark.django_db(transaction=True)
VIEWERS = 200


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the threads that opened a connection."""
    names: list[str] = []
    connect = BaseDatabaseWrapper.connect

    def counting(self: BaseDatabaseWrapper) -> Any:
        names.append(threading.current_thread().name)
        return connect(self)

    monkeypatch.setattr(BaseDatabaseWrapper, "connect", counting)
    return names


@in_a_loop
async def test_two_hundred_viewers(alice: User, opened: list[str]) -> None:
    jobs = [await later(make_job, owner=alice, status=RUNNING) for _ in range(4)]
    threads = threading.active_count()
    async with AsyncExitStack() as stack:
        viewers = [await stack.enter_async_context(watching(jobs[n % 4], alice)) for n in range(VIEWERS)]
        for viewer in viewers:
            assert (await viewer.next()).event == "job"  # type: ignore[union-attr]
        assert len(streams.hub.viewers()) == VIEWERS
        assert threading.active_count() <= threads + 1
        assert opened.count("job-stream-reader") == 1
        for job in jobs:
            await later(add_event, job)
        for viewer in viewers:
            assert (await viewer.next()).id == 1  # type: ignore[union-attr]
        assert opened.count("job-stream-reader") == 1
    assert streams.hub.viewers() == []


@in_a_loop
async def test_the_requests_connection_is_given_back(alice: User) -> None:
    job = await later(make_job, owner=alice, status=RUNNING)
    async with watching(job, alice) as stream:
        await stream.next()
        assert await later(lambda: connection.connection) is None


@in_a_loop
async def test_a_page_is_read_once_for_all_who_stand_at_the_same_place(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = await later(make_job, owner=alice, status=RUNNING)
    async with AsyncExitStack() as stack:
        viewers = [await stack.enter_async_context(watching(job, alice)) for _ in range(20)]
        for viewer in viewers:
            await viewer.next()
        pages: list[int] = []
        page_after = streams.page_after

        def counting(*args: Any, **kwargs: Any) -> Any:
            page = page_after(*args, **kwargs)
            pages.extend([page.position] if page.text else [])
            return page

        monkeypatch.setattr(streams, "page_after", counting)
        await later(add_event, job)
        for viewer in viewers:
            await viewer.next()
    assert pages == [1]
