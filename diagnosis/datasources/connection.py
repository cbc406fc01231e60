"""The transport under httpx: connects only to an address that was allowed, and keeps one deadline over everything.

The URL stays as it is, so Host, SNI and the certificate's check go by the name; only where the name becomes an address
is ours. A time limit of httpx is one of each read, and a source that drips bytes would never meet it.
"""

import ssl
import time
from collections.abc import Iterator
from functools import cache
from typing import Any

import httpcore
import httpx

from diagnosis.datasources.network import addresses_of
from diagnosis.datasources.protocol import TIMEOUT, UNREACHABLE, SourceFailed


class PinnedTransport(httpx.BaseTransport):
    """For one request or a few, until ``deadline`` (``time.monotonic()``)."""

    def __init__(self, *, deadline: float) -> None:
        self._pool = httpcore.ConnectionPool(ssl_context=_trust(), network_backend=_PinnedBackend(deadline))

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        assert isinstance(request.stream, httpx.SyncByteStream)
        answer = self._pool.handle_request(
            httpcore.Request(
                method=request.method,
                url=httpcore.URL(
                    scheme=request.url.raw_scheme,
                    host=request.url.raw_host,
                    port=request.url.port,
                    target=request.url.raw_path,
                ),
                headers=request.headers.raw,
                content=request.stream,
            )
        )
        return httpx.Response(answer.status, headers=answer.headers, stream=_Body(answer))

    def close(self) -> None:
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        yield from self._answer.iter_stream()

    def close(self) -> None:
        self._answer.close()


class _PinnedBackend(httpcore.NetworkBackend):
    def __init__(self, deadline: float) -> None:
        self._deadline = deadline
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(self, host: str, port: int, *args: Any, **kwargs: Any) -> httpcore.NetworkStream:
        """To the first address of ``host`` that answers; ``localhost`` may listen on one of its two only."""
        error: Exception | None = None
        for address in addresses_of(host, port, timeout=left(self._deadline)):
            try:
                stream = self._sockets.connect_tcp(address, port, timeout=left(self._deadline))
                return _TimedStream(stream, self._deadline)
            except httpcore.ConnectError as refusal:
                error = refusal
        raise error or SourceFailed(UNREACHABLE, "The host's name has no address.")


class _TimedStream(httpcore.NetworkStream):
    def __init__(self, stream: httpcore.NetworkStream, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, left(self._deadline))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, left(self._deadline))

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        stream = self._stream.start_tls(ssl_context, server_hostname, left(self._deadline))
        return _TimedStream(stream, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)

    def close(self) -> None:
        self._stream.close()


def left(deadline: float) -> float:
    """Seconds until ``deadline``, more than none. Raises ``SourceFailed`` when it is over."""
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise SourceFailed(TIMEOUT, "The source did not answer in time.")
    return seconds


@cache
def _trust() -> ssl.SSLContext:
    """The system's authorities: a company's own certificate authority is installed there."""
    return ssl.create_default_context()
