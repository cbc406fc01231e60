"""The stream of a diagnosis' page as a browser holds it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from django.test import AsyncClient

from diagnosis.models import Diagnosis
from oncall.models import User
from tests.jobs.api.streams import PATIENCE, later


@dataclass(frozen=True)
class News:
    """One frame: its event's name and its HTML, or the number of the event that is told to its end."""

    event: str = ""
    html: str = ""
    id: int | None = None


class PageStream:
    def __init__(self, response: Any) -> None:
        self._response = response
        self._chunks = aiter(response.streaming_content)
        self._text = ""

    async def next(self) -> News | None:
        """The next frame that is no ping; None when the stream has ended."""
        async with asyncio.timeout(PATIENCE):
            while True:
                while "\n\n" not in self._text:
                    try:
                        self._text += (await anext(self._chunks)).decode()
                    except StopAsyncIteration:
                        return None
                frame, _, self._text = self._text.partition("\n\n")
                if not frame.startswith(":"):
                    return parsed(frame)

    async def until(self, *, id: int | None = None, event: str = "") -> list[News]:
        """The frames up to one with this id or event, it included."""
        found = []
        while (news := await self.next()) is not None:
            found.append(news)
            if (id is not None and news.id == id) or (event and news.event == event):
                return found
        raise AssertionError(f"The stream ended after {found}")

    async def rest(self) -> list[News]:
        found = []
        while (news := await self.next()) is not None:
            found.append(news)
        return found

    async def close(self) -> None:
        await self._chunks.aclose()  # type: ignore[attr-defined]
        await later(self._response.close)


def parsed(frame: str) -> News:
    lines = [line.partition(": ") for line in frame.split("\n")]
    html = "\n".join(value for name, _, value in lines if name == "data")
    values = {name: value for name, _, value in lines if name != "data"}
    assert set(values) <= {"event", "id"}, frame
    return News(values.get("event", ""), html, int(values["id"]) if "id" in values else None)


@asynccontextmanager
async def watching_page(
    diagnosis: Diagnosis, user: User, *, after: int = 0, language: str = "en", **headers: str
) -> AsyncIterator[PageStream]:
    client = AsyncClient()
    await client.aforce_login(user)
    sent = {"Accept-Language": language, **{name.replace("_", "-"): value for name, value in headers.items()}}
    response = await client.get(f"/diagnoses/{diagnosis.pk}/stream/", {"after": after}, headers=sent)
    assert response.status_code == 200, response.content
    stream = PageStream(response)
    try:
        yield stream
    finally:
        await stream.close()
