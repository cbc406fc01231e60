"""A server that misbehaves on request: what a real Prometheus cannot be brought to do."""

import json
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[BaseHTTPRequestHandler], None]


class Misbehaving:
    """An HTTP server whose answer the test writes; it keeps what it was asked (path, headers), and
    the bodies that were posted."""

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self.server = server
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        self.posted: list[bytes] = []
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.answer: Answer = lambda handler: None

    def says(self, body: Any, *, status: int = 200, **headers: str) -> None:
        """Answer with this status and body: bytes as they are, anything else as JSON."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()

        def answer(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(status)
            for name, value in {"Content-Length": str(len(data)), **headers}.items():
                handler.send_header(name.replace("_", "-"), value)
            handler.end_headers()
            handler.wfile.write(data)

        self.answer = answer
