"""One GET of a source, and its answer as JSON: streamed, cut off, and each way to go wrong as a class of failure."""

import json
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpcore
import httpx

from diagnosis.datasources.connection import PinnedTransport
from diagnosis.datasources.network import origin_of
from diagnosis.datasources.protocol import (
    BAD_ANSWER,
    BAD_QUERY,
    MAX_BYTES,
    TIMEOUT,
    TOO_MUCH,
    UNAUTHORISED,
    UNREACHABLE,
    SourceFailed,
    call_deadline,
)

# identity: a packed body could unpack to any size.
HEADERS = {"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "OncallAgent"}
CLASSES = {
    400: (BAD_QUERY, "The source does not understand the query"),
    401: (UNAUTHORISED, "The source wants other credentials"),
    403: (UNAUTHORISED, "The source does not let these credentials ask"),
    413: (TOO_MUCH, "The source finds the query too large"),
    422: (BAD_QUERY, "The source could not carry the query out"),
    429: (TOO_MUCH, "The source is asked too often"),
    502: (UNREACHABLE, "The source is behind a proxy that does not reach it"),
    503: (UNREACHABLE, "The source is not available or gave the query up"),
    504: (TIMEOUT, "The source is behind a proxy that waited too long for it"),
}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a source listens (``http://host:port/path``, without a slash at the end) and how we prove ourselves."""

    url: str
    auth: httpx.Auth | None = None


@dataclass(frozen=True, slots=True)
class Body:
    """``value`` is what the JSON says; ``bytes`` is how long it was."""

    value: Any
    bytes: int


def get_json(endpoint: Endpoint, path: str, params: Mapping[str, str], *, deadline: float | None = None) -> Body:
    """Ask ``path`` below the endpoint. Raises ``SourceFailed``; nothing of a refused answer's body is kept."""
    origin_of(endpoint.url)
    transport = PinnedTransport(deadline=call_deadline(deadline))
    with (
        _classified(),
        httpx.Client(transport=transport, trust_env=False, headers=HEADERS) as client,
        client.stream("GET", endpoint.url + path, params=params, auth=endpoint.auth) as answer,
    ):
        _refuse_status(answer)
        data = _read(answer)
    return Body(_parsed(data), len(data))


def _refuse_status(answer: httpx.Response) -> None:
    status = answer.status_code
    if status == 200:
        return
    if 300 <= status < 400:
        raise SourceFailed(BAD_ANSWER, f"The source sends elsewhere (status {status}); give its final URL.")
    code, sentence = CLASSES.get(status, (BAD_ANSWER, "The source answers with an unexpected status"))
    raise SourceFailed(code, f"{sentence} (status {status}).")


def _read(answer: httpx.Response) -> bytes:
    if answer.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise SourceFailed(BAD_ANSWER, "The source packs its answer though it was asked not to.")
    data = bytearray()
    for chunk in answer.iter_raw():
        data += chunk
        if len(data) > MAX_BYTES:
            raise SourceFailed(TOO_MUCH, f"The answer is larger than {MAX_BYTES // 1_000_000} MB.")
    return bytes(data)


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise SourceFailed(BAD_ANSWER, "The answer is no JSON; perhaps the URL is not that of such a source.") from None


@contextmanager
def _classified() -> Iterator[None]:
    try:
        yield
    except (httpcore.TimeoutException, httpx.TimeoutException):
        raise SourceFailed(TIMEOUT, "The source did not answer in time.") from None
    except (httpcore.NetworkError, httpx.NetworkError) as error:
        if isinstance(error.__cause__ or error.__context__, ssl.SSLError):
            raise SourceFailed(UNREACHABLE, "The source's TLS certificate is not accepted.") from None
        raise SourceFailed(UNREACHABLE, "Nothing answers at this address.") from None
    except (httpcore.ProtocolError, httpx.HTTPError, httpx.InvalidURL, UnicodeError):
        raise SourceFailed(BAD_ANSWER, "The answer is no proper HTTP.") from None
