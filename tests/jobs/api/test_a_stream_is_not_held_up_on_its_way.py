"""The headers that keep proxies and browsers from holding a stream back, and pings that keep it open."""

import pytest
from django.test import Client

from jobs import stream as streams
from jobs.states import RUNNING
from oncall.models import User
from tests.jobs.api.streams import in_a_loop, later, watching
from tests.jobs.factories import make_job

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("accept", ["text/event-stream", "*/*", "application/json", "text/html"])
@in_a_loop
async def test_headers(alice: User, accept: str) -> None:
    job = await later(make_job, owner=alice, status=RUNNING)
    async with watching(job, alice, Accept=accept, Accept_Encoding="gzip, br") as stream:
        headers = stream.response.headers
    assert headers["Content-Type"] == "text/event-stream"
    assert headers["Cache-Control"] == "no-cache"
    assert headers["X-Accel-Buffering"] == "no"
    assert "Content-Encoding" not in headers and "Content-Length" not in headers


@in_a_loop
async def test_pings_while_nothing_happens(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "PING_SECONDS", 0.02)
    job = await later(make_job, owner=alice, status=RUNNING)
    async with watching(job, alice) as stream:
        frames = [await stream.next_of_any_kind() for _ in range(8)]
    assert [frame.comment for frame in frames if frame is not None].count("ping") >= 6


def test_a_server_that_cannot_stream_says_so(alice: User) -> None:
    # This client speaks WSGI, where a stream would block a thread until the job ends.
    client = Client(raise_request_exception=False)
    client.force_login(alice)
    response = client.get(f"/background-jobs/{make_job(owner=alice).pk}/events:stream")
    assert response.status_code == 503
    assert response.json()["errors"][0]["code"] == "SYSTEM_UNAVAILABLE"
