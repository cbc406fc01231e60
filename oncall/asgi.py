"""The ASGI application: Django behind a limit on the size of a body, found before the body is read to the end.

Django reads a whole body before any view runs, so a view cannot refuse it in time.
"""

import asyncio
import json
import os
import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "oncall.settings")
django_application: Any = get_asgi_application()

from django.conf import settings  # noqa: E402  (settings exist only now)

from oncall.api.errors import error_body  # noqa: E402
from oncall.pages.errors import error_page  # noqa: E402
from oncall.part_sizes import PartSizes, part_sizes_of  # noqa: E402
from oncall.requests import is_page, request_id_of  # noqa: E402

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

MEGABYTE = 1024 * 1024
BODY_LIMIT = MEGABYTE
ALERTS_LIMIT = 10 * MEGABYTE
# What multipart adds to a file: boundaries, headers, the other fields of the form.
FRAMING = 64 * 1024
_UPLOAD = re.compile(r"/knowledge-bases/[^/]+/documents/?|/upload/")
# How long a client that is still sending may go on, so that it gets to read the answer before the connection closes.
LINGER_SECONDS = 2.0


class BodyTooLarge(Exception):
    """The body went over its limit while it was being received."""


def takes_files(path: str) -> bool:
    return _UPLOAD.fullmatch(path) is not None


def body_limit(path: str) -> int:
    """The most bytes that a body for ``path`` may have."""
    if takes_files(path):
        return int(settings.MAX_UPLOAD_BYTES) + FRAMING
    return ALERTS_LIMIT if path == "/aiops/alerts/alertmanager" else BODY_LIMIT


class BodyLimit:
    """Answers 413 by ``Content-Length``, or, when a body comes in chunks, as soon as they are over the limit."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        limit = body_limit(scope["path"])
        headers = dict(scope["headers"])
        length = headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > limit:
            await _refuse(scope["path"], headers, receive, send)
            return
        parts = part_sizes_of(headers.get(b"content-type", b"")) if takes_files(scope["path"]) else None
        try:
            await self.application(scope, _counted(scope, receive, limit, parts), send)
        except BodyTooLarge:
            # Django had not answered: it starts only when it has the whole body.
            await _refuse(scope["path"], headers, receive, send)


def _counted(scope: MutableMapping[str, Any], receive: Receive, limit: int, parts: PartSizes | None) -> Receive:
    received = 0

    async def counting() -> Message:
        nonlocal received
        message = await receive()
        piece = message.get("body", b"")
        received += len(piece)
        if parts is not None:
            parts.feed(piece)
        if received > limit or (parts is not None and parts.largest > settings.MAX_UPLOAD_BYTES):
            raise BodyTooLarge
        if message["type"] == "http.request" and not message.get("more_body", False):
            _tell_length(scope, received)
        return message

    return counting


def _tell_length(scope: MutableMapping[str, Any], length: int) -> None:
    """Give a body that came in chunks its length: without one, Django's parsers take it for an empty body.

    Django reads the headers only when it has the body.
    """
    headers = [(name, value) for name, value in scope["headers"] if name != b"content-length"]
    if any(name == b"transfer-encoding" for name, _ in headers):
        scope["headers"] = [*headers, (b"content-length", str(length).encode())]


async def _refuse(path: str, headers: dict[bytes, bytes], receive: Receive, send: Send) -> None:
    page = is_page(path)
    body = error_page(413).content if page else json.dumps(error_body(413)).encode()
    request_id = request_id_of(headers.get(b"x-request-id", b"").decode("latin-1"))
    answer = [
        (b"content-type", b"text/html; charset=utf-8" if page else b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"x-request-id", request_id.encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": 413, "headers": answer})
    await send({"type": "http.response.body", "body": body, "more_body": True})
    try:
        async with asyncio.timeout(LINGER_SECONDS):
            await _discard(receive)
    except TimeoutError:
        pass  # The client goes on sending: the connection closes under it.
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _discard(receive: Receive) -> None:
    while True:
        message = await receive()
        if message["type"] != "http.request" or not message.get("more_body", False):
            return


application = BodyLimit(django_application)
