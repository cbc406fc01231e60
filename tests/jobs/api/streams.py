"""A stream as a browser holds it: opened, read frame by frame, closed."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any

from asgiref.sync import async_to_sync, sync_to_async
from django.test import AsyncClient

from jobs.models import Job
from oncall.models import User

PATIENCE = 10.0  # Seconds until a test that waits for a frame gives up.


@dataclass(frozen=True)
class Frame:
    """One frame; ``id`` and ``event`` are None where the frame has none, a comment is ``comment``."""

    id: int | None = None
    event: str | None = None
    data: Any = None
    comment: str | None = None


def parse(text: str) -> Frame:
    found: dict[str, Any] = {}
    for line in text.split("\n"):
        name, _, value = line.partition(": ")
        assert name not in found, f"two lines of {name!r} in one frame"
        found[name or "comment"] = value
    assert set(found) <= {"id", "event", "data", "comment"}, text
    if "data" in found:
        found["data"] = json.loads(found["data"])
    if "id" in found:
        found["id"] = int(found["id"])
    return Frame(**found)


class Stream:
    def __init__(self, response: Any) -> None:
        self.response = response
        self._chunks = aiter(response.streaming_content)
        self._text = ""

    async def next(self) -> Frame | None:
        """The next frame that is no ping; None when the stream has ended."""
        frame = await self.next_of_any_kind()
        while frame is not None and frame.comment is not None:
            frame = await self.next_of_any_kind()
        return frame

    async def next_of_any_kind(self) -> Frame | None:
        async with asyncio.timeout(PATIENCE):
            while "\n\n" not in self._text:
                try:
                    self._text += (await anext(self._chunks)).decode()
                except StopAsyncIteration:
                    assert self._text == ""
                    return None
        text, _, self._text = self._text.partition("\n\n")
        return parse(text)

    async def rest(self) -> list[Frame]:
        """All frames up to the end of the stream."""
        frames = []
        while (frame := await self.next()) is not None:
            frames.append(frame)
        return frames

    async def close(self) -> None:
        """What a server does when the client is gone."""
        await self._chunks.aclose()  # type: ignore[attr-defined]
        await later(self.response.close)


@asynccontextmanager
async def watching(
    job: Job, user: User | None = None, *, after: int | None = None, **headers: str
) -> AsyncIterator[Stream]:
    """A stream of ``job`` opened by ``user``; header names have underscores (``Last_Event_ID="7"``)."""
    client = AsyncClient()
    if user is not None:
        await client.aforce_login(user)
    query = {} if after is None else {"afterSequence": after}
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    response = await client.get(f"/background-jobs/{job.pk}/events:stream", query, headers=sent)
    assert response.status_code == 200, response.content
    stream = Stream(response)
    try:
        yield stream
    finally:
        await stream.close()


def in_a_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Run an async test to its end; its calls of the ORM stay in the test's thread."""

    @wraps(test)
    def run(**fixtures: Any) -> None:
        async_to_sync(test)(**fixtures)

    return run


def later(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Awaitable[Any]:
    """Call ``function`` where the ORM may be called."""
    return sync_to_async(function)(*args, **kwargs)
