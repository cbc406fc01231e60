"""One Prometheus for the tests that only read it, and a small server that misbehaves on request."""

import contextlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from diagnosis.datasources.fetching import Endpoint
from diagnosis.datasources.prometheus import Prometheus
from tests.daemons import Daemon, prometheus
from tests.diagnosis.sources.misbehaving import Misbehaving
from tests.diagnosis.sources.recorded_shop import METRICS, RULES


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A real Prometheus with two recorded hours of a small shop."""
    with prometheus(tmp_path_factory.mktemp("shop"), metrics=METRICS, rules=RULES) as daemon:
        yield daemon


@pytest.fixture
def source(shop: Daemon) -> Prometheus:
    return Prometheus(Endpoint(shop.url))


@pytest.fixture
def misbehaving() -> Iterator[Misbehaving]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            found.posted.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.do_GET()

        def do_GET(self) -> None:
            found.asked.append((self.path, dict(self.headers)))
            with contextlib.suppress(OSError):  # The client hung up, as it should.
                found.answer(self)

        def log_message(self, *args: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    found = Misbehaving(server)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield found
    server.shutdown()
    server.server_close()
    thread.join()
