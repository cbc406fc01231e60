"""With ``uvicorn oncall.asgi:application`` and a worker process: followed, resumed, cancelled, many, and shut down."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil
import pytest

from tests.jobs.api.streams import Frame, parse

pytestmark = pytest.mark.e2e
ROOT = Path(__file__).parents[3]
START_SECONDS = 60
SETUP = """
import django; django.setup()
from tests.factories import make_person, make_token
from tests.jobs.factories import make_job
alice = make_person("alice")
jobs = {kind: make_job(owner=alice, status="cancelled", kind=kind).pk for kind in ("story", "patience")}
jobs["running"] = make_job(owner=alice, status="queued", kind="nobody's", events=1).pk
import json; print(json.dumps({"token": make_token(alice)[1], **jobs}))
"""


@dataclass
class Site:
    client: httpx.Client
    server: "subprocess.Popen[bytes]"
    made: dict[str, str]
    home: Path

    def retry(self, job_id: str) -> str:
        response = self.client.post(f"/background-jobs/{job_id}:retry")
        assert response.status_code == 202, response.text
        return str(response.json()["id"])

    def follow(self, job_id: str, *, after: int = 0) -> Iterator[Frame]:
        with self.client.stream("GET", f"/background-jobs/{job_id}/events:stream?afterSequence={after}") as response:
            assert response.status_code == 200
            text = ""
            for chunk in response.iter_text():
                text += chunk
                *frames, text = text.split("\n\n")
                yield from map(parse, frames)

    def connections(self) -> int:
        """How often the server has the database open."""
        files = psutil.Process(self.server.pid).open_files()
        return [file.path for file in files].count(str(self.home / "oncall.sqlite3"))

    def connect(self, job_id: str) -> socket.socket:
        """A viewer that has seen its first frame."""
        opened = socket.create_connection((self.client.base_url.host, self.client.base_url.port), timeout=START_SECONDS)
        request = [
            f"GET /background-jobs/{job_id}/events:stream HTTP/1.1",
            "Host: localhost",
            f"Authorization: {self.client.headers['Authorization']}",
            "",
            "",
        ]
        opened.sendall("\r\n".join(request).encode())
        read = b""
        while b"event: job" not in read:
            chunk = opened.recv(65536)
            assert chunk, read
            read += chunk
        return opened


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"} | {
        "ONCALL_HOME": str(tmp_path),
        "ONCALL_EXTRA_APPS": "tests.jobs.api.told",
        "DJANGO_SETTINGS_MODULE": "oncall.settings",
    }

    def start(*arguments: str) -> "subprocess.Popen[bytes]":
        return subprocess.Popen([sys.executable, *arguments], cwd=ROOT, env=environment, stderr=subprocess.DEVNULL)

    common = {"cwd": ROOT, "env": environment, "check": True, "capture_output": True}
    subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], **common)  # type: ignore[call-overload]
    made = subprocess.run([sys.executable, "-c", SETUP], **common)  # type: ignore[call-overload]
    values = json.loads(made.stdout)
    port = free_port()
    server = start("-m", "uvicorn", "oncall.asgi:application", "--port", str(port), "--log-level", "error")
    worker = start("manage.py", "runworkers", "--kinds", "story,patience")
    headers = {"Authorization": f"Bearer {values['token']}"}
    try:
        with httpx.Client(base_url=f"http://localhost:{port}", headers=headers, timeout=START_SECONDS) as client:
            wait_for(client)
            yield Site(client, server, values, tmp_path)
    finally:
        for process in (server, worker):
            process.send_signal(signal.SIGTERM)
        for process in (server, worker):
            stop(process)


def test_a_job_is_followed_to_its_end_and_resumed(site: Site) -> None:
    job = site.retry(site.made["story"])
    frames = list(site.follow(job))
    assert [frame.data["payload"]["number"] for frame in frames if frame.event == "sentence"] == [1, 2, 3, 4, 5]
    assert (frames[-1].event, frames[-1].data["status"], frames[-1].data["progress"]) == ("job", "succeeded", 1)
    assert frames[-1].data["result"] == {"sentences": 5}
    assert [frame.id for frame in site.follow(job, after=3)] == [4, 5, None]


def test_a_cancel_of_a_running_job_ends_its_stream(site: Site) -> None:
    job = site.retry(site.made["patience"])
    statuses = []
    for frame in site.follow(job):
        if frame.event == "waiting":
            assert site.client.post(f"/background-jobs/{job}:cancel").json()["status"] == "running"
        elif frame.event == "job":
            statuses.append(frame.data["status"])
    assert statuses[-1] == "cancelled"


def test_when_the_last_viewer_has_gone_the_database_is_left_alone(site: Site) -> None:
    for viewer in [site.connect(site.made["running"]) for _ in range(5)]:
        viewer.close()
    ends = time.monotonic() + START_SECONDS
    while site.connections():
        assert time.monotonic() < ends, "the reader goes on reading"
        time.sleep(0.05)


def test_two_hundred_viewers_cost_no_thread_or_connection_each_and_do_not_hold_up_the_end(site: Site) -> None:
    process = psutil.Process(site.server.pid)
    viewers = [site.connect(site.made["running"]) for _ in range(200)]
    assert 1 <= site.connections() <= 2
    assert process.num_threads() <= 20
    asked = time.monotonic()
    process.send_signal(signal.SIGTERM)
    site.server.wait(START_SECONDS)
    assert time.monotonic() - asked < 2
    for viewer in viewers:
        viewer.close()


def stop(process: "subprocess.Popen[bytes]") -> None:
    try:
        process.wait(START_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("localhost", 0))
        return int(found.getsockname()[1])


def wait_for(client: httpx.Client) -> None:
    ends = time.monotonic() + START_SECONDS
    while True:
        try:
            assert client.get("/health").status_code == 200
            return
        except httpx.TransportError:
            assert time.monotonic() < ends, "the server does not answer"
            time.sleep(0.05)
