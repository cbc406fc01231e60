"""413 by ``Content-Length``, or while chunks are counted: the body is never read to the end."""

import asyncio
import itertools
import json
from typing import Any

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st

from oncall.asgi import ALERTS_LIMIT, BODY_LIMIT, FRAMING, MEGABYTE, BodyLimit, body_limit
from oncall.part_sizes import part_sizes_of

UPLOAD = "/knowledge-bases/kb_1/documents"


class Server:
    """The server's side of one request: what was asked of the client, and what was answered."""

    def __init__(self, chunks: list[bytes]) -> None:
        self.chunks = chunks
        self.taken = 0
        self.sent: list[Any] = []

    async def receive(self) -> dict[str, Any]:
        # The last chunk never comes: whoever waits for the end waits for ever.
        if self.taken == len(self.chunks):
            await asyncio.Event().wait()
        self.taken += 1
        return {"type": "http.request", "body": self.chunks[self.taken - 1], "more_body": True}

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.taken_at_answer = self.taken
        self.sent.append(message)


async def reading(scope: Any, receive: Any, send: Any) -> None:
    """An application that, like Django, reads the whole body before it answers."""
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})


def ask(path: str, chunks: list[bytes], *, length: int | None = None, content_type: bytes = b"text/plain") -> Server:
    server = Server(chunks)
    headers = [(b"content-type", content_type)]
    headers += [] if length is None else [(b"content-length", str(length).encode())]
    scope = {"type": "http", "method": "POST", "path": path, "headers": headers}
    asyncio.run(BodyLimit(reading)(scope, server.receive, server.send))
    return server


@pytest.fixture(autouse=True)
def no_lingering(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oncall.asgi.LINGER_SECONDS", 0.01)


def test_by_its_length_nothing_is_read() -> None:
    server = ask("/auth/tokens", [], length=BODY_LIMIT + 1)
    assert_refused(server)
    assert server.taken_at_answer == 0


def test_chunks_are_counted() -> None:
    chunks = [b"x" * 100_000] * 30
    server = ask("/auth/tokens", chunks)
    assert_refused(server)
    assert server.taken_at_answer == 11


def test_a_length_that_lies_is_counted_too() -> None:
    server = ask("/auth/tokens", [b"x" * 600_000] * 3, length=5)
    assert_refused(server)


def test_a_person_is_told_by_a_page() -> None:
    start, body = ask("/upload/", [], length=60 * MEGABYTE).sent[:2]
    assert (start["status"], dict(start["headers"])[b"content-type"]) == (413, b"text/html; charset=utf-8")
    assert b"That is too large" in body["body"]


@pytest.mark.parametrize(
    ("path", "limit"),
    [
        ("/auth/login", BODY_LIMIT),
        ("/admin/oncall/user/add/", BODY_LIMIT),
        (UPLOAD + "/doc_1", BODY_LIMIT),
        (UPLOAD, settings.MAX_UPLOAD_BYTES + FRAMING),
        ("/aiops/alerts/alertmanager", ALERTS_LIMIT),
    ],
)
def test_each_address_has_its_limit(path: str, limit: int) -> None:
    assert body_limit(path) == limit


def test_a_file_of_exactly_50_mb_fits_with_its_framing() -> None:
    assert settings.MAX_UPLOAD_BYTES == 50 * 1024 * 1024
    server = Server([])
    headers = [(b"content-length", str(settings.MAX_UPLOAD_BYTES + 1000).encode())]
    scope = {"type": "http", "method": "POST", "path": UPLOAD, "headers": headers}
    passed = []

    async def note(*args: Any) -> None:
        passed.append(args)

    asyncio.run(BodyLimit(note)(scope, server.receive, server.send))
    assert passed and not server.sent


def test_one_byte_over_50_mb_is_refused_before_the_form_ends() -> None:
    head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\n'
    file = [b"x" * MEGABYTE] * 50
    server = ask(UPLOAD, [head, *file, b"x"], content_type=b"multipart/form-data; boundary=b")
    assert_refused(server)
    assert server.taken_at_answer == 52  # Told by the last byte of the file; the end of the form was never asked for.


@given(
    parts=st.lists(st.binary(max_size=300).filter(lambda part: b"\r\n--frontier" not in part), max_size=4),
    cuts=st.lists(st.integers(1, 40), min_size=1, max_size=8),
)
def test_a_part_is_measured_however_its_body_is_cut(parts: list[bytes], cuts: list[int]) -> None:
    body = b"".join(b"--frontier\r\nContent-Disposition: x\r\n\r\n" + part + b"\r\n" for part in parts)
    body += b"--frontier--\r\n"
    sizes = part_sizes_of(b'multipart/form-data; boundary="frontier"')
    assert sizes is not None
    at = 0
    for cut in itertools.cycle(cuts):
        if at >= len(body):
            break
        sizes.feed(body[at : at + cut])
        at += cut
    assert sizes.largest == max(map(len, parts), default=0)


def assert_refused(server: Server) -> None:
    start, body = server.sent[0], server.sent[1]
    assert start["status"] == 413
    assert dict(start["headers"])[b"content-type"] == b"application/json"
    assert b"x-request-id" in dict(start["headers"])
    assert json.loads(body["body"])["errors"][0]["code"] == "PAYLOAD_TOO_LARGE"
    assert server.sent[-1]["more_body"] is False
