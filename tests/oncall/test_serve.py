"""``manage.py serve`` with real processes: it answers, refuses in time, and leaves nothing behind."""

import json
import os
import signal
import socket
import time
from collections.abc import Callable
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.e2e.worker_process import APP, Home
from tests.oncall.server import manage, serving

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    migrated = manage(home, "migrate", "--verbosity", "0")
    assert migrated.returncode == 0, migrated.stderr
    return home


def get(host: str, port: int, path: str) -> tuple[int, Any]:
    connection = HTTPConnection(host, port, timeout=10)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def eventually(holds: Callable[[], bool], *, seconds: float = 30) -> None:
    """Wait for what other processes do: there is nothing to turn a clock on."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.1)


def test_a_body_over_the_limit_is_answered_before_its_end(home: Path) -> None:
    head = "POST /knowledge-bases/kb_1/documents HTTP/1.1\r\nHost: localhost\r\n"
    with serving(home, "--no-workers") as (_, host, port):
        for rest, sent in ((f"Content-Length: {60 * 1024 * 1024}\r\n\r\n", b"x" * 1000), *chunked()):
            with socket.create_connection((host, port), timeout=20) as client:
                client.sendall((head + rest).encode())
                client.sendall(sent)
                status, _, body = client.recv(65536).partition(b"\r\n\r\n")
                assert status.startswith(b"HTTP/1.1 413 ")
                while not body.endswith(b"}"):
                    body += client.recv(65536)
                assert json.loads(body)["errors"][0]["code"] == "PAYLOAD_TOO_LARGE"
        assert get(host, port, "/health") == (200, {"status": "alive"})


def chunked() -> list[tuple[str, bytes]]:
    piece = b"%x\r\n%s\r\n" % (1024 * 1024, b"x" * 1024 * 1024)
    return [("Transfer-Encoding: chunked\r\n\r\n", piece * 51)]


def test_a_client_that_sends_all_before_it_reads_gets_its_answer(home: Path) -> None:
    with serving(home, "--no-workers") as (_, host, port):
        connection = HTTPConnection(host, port, timeout=20)
        connection.request("POST", "/auth/login", b"x" * 3_000_000, {"Content-Type": "application/json"})
        response = connection.getresponse()
        assert response.status == 413
        assert response.headers["X-Request-ID"]
        connection.close()


def test_the_worker_is_started_again_and_ends_with_the_server(home: Path) -> None:
    with serving(home, "--concurrency", "1") as (process, host, port):
        eventually(lambda: get(host, port, "/ready")[0] == 200)
        first = worker_of(process.pid)
        assert first is not None
        os.kill(first, signal.SIGKILL)
        eventually(lambda: worker_of(process.pid) not in (None, first))
        second = worker_of(process.pid)
        assert second is not None
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert not psutil.pid_exists(second)


@pytest.fixture
def busy(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Home, str]:
    """A data folder with a job whose handler does not come back, and that job."""
    monkeypatch.setenv("ONCALL_EXTRA_APPS", APP)
    own = Home(home).copy(tmp_path / "home")
    (job,) = own.enqueue("blocked")
    return own, job


def test_a_second_ctrl_c_gives_jobs_back_uncharged(busy: tuple[Home, str]) -> None:
    home, job = busy
    with serving(home.folder, "--concurrency", "1") as (process, _, _port):
        eventually(lambda: bool(home.notes("began")))
        process.send_signal(signal.SIGINT)
        eventually(lambda: "background.worker.draining" in (home.folder / "log").read_text())
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0  # Before the time to drain is over.
        assert process.stdout is not None
        said = process.stdout.read()
    assert "Waiting up to 30 s for 1 job; Ctrl-C again to give it back now." in said
    assert "Worker worker_" in said and "Ctrl-C stops it" not in said
    assert (home.job(job)[:3], home.outcomes(job)) == (("queued", 0, 1), ["released"])


def test_a_worker_that_does_not_hear_is_killed(busy: tuple[Home, str]) -> None:
    home, job = busy
    with serving(home.folder, "--concurrency", "1") as (process, _, _port):
        eventually(lambda: bool(home.notes("began")))
        worker = worker_of(process.pid)
        assert worker is not None
        process.send_signal(signal.SIGINT)
        eventually(lambda: "background.worker.draining" in (home.folder / "log").read_text())
        os.kill(worker, signal.SIGSTOP)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
        assert not psutil.pid_exists(worker)
    assert home.job(job)[0] == "running"  # Until its lease has run out.


def test_a_server_that_is_killed_takes_its_worker_along(home: Path) -> None:
    with serving(home, "--concurrency", "1") as (process, _, _port):
        eventually(lambda: worker_of(process.pid) is not None)
        worker = worker_of(process.pid)
        assert worker is not None
        process.kill()
        process.wait(10)
        eventually(lambda: not psutil.pid_exists(worker) or psutil.Process(worker).status() == psutil.STATUS_ZOMBIE)


def test_a_taken_port_is_told(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused = manage(home, "serve", "--no-workers", "--port", str(taken.getsockname()[1]))
    assert refused.returncode == 1
    assert "Cannot listen on 127.0.0.1" in refused.stderr and "--port" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_port_that_does_not_exist_is_told(home: Path) -> None:
    refused = manage(home, "serve", "--no-workers", "--port", "99999")
    assert refused.returncode == 1
    assert "--port must be from 0 to 65535, not 99999." in refused.stderr


def test_missing_migrations_are_told(tmp_path: Path) -> None:
    refused = manage(tmp_path, "serve", "--no-workers", "--port", "0")
    assert refused.returncode == 1
    assert "migrations are not applied" in refused.stderr and "manage.py migrate" in refused.stderr
    assert "Traceback" not in refused.stderr


def worker_of(pid: int) -> int | None:
    children = psutil.Process(pid).children()
    return next((child.pid for child in children if child.status() != psutil.STATUS_ZOMBIE), None)
