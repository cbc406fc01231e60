"""Debian's prometheus and prometheus-alertmanager, started on free ports of loopback with a temporary folder each.

``prometheus_binary()`` and its kin skip the test with a plain message where the machine has none. Nothing outlives the
``with`` block. Samples are backfilled with promtool, so a test has two hours of data at once.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

START_SECONDS = 60
# Recorded incidents are years old: longer than any of them, or Prometheus deletes the blocks at its start.
RETENTION = "100y"


def _binary(*names: str) -> str:
    for name in names:
        if found := shutil.which(name):
            return found
    return pytest.skip(f"{names[0]} is not installed here (Debian: apt install prometheus prometheus-alertmanager)")


def prometheus_binary() -> str:
    return _binary("prometheus")


def promtool_binary() -> str:
    return _binary("promtool")


def alertmanager_binary() -> str:
    return _binary("prometheus-alertmanager", "alertmanager")


@dataclass(frozen=True)
class Metric:
    """One series to backfill. ``samples``: (seconds since the epoch, value), in order of time."""

    name: str
    labels: Mapping[str, str]
    samples: Iterable[tuple[float, float]]


@dataclass
class Daemon:
    """A running server. ``stop`` and ``resume`` freeze and thaw it: connections open, nothing answers."""

    process: subprocess.Popen[bytes]
    port: int
    folder: Path
    frozen: bool = field(default=False)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def freeze(self) -> None:
        self.process.send_signal(signal.SIGSTOP)
        # The signal is only sent: what was running goes on until the kernel says that all of it stands.
        os.waitpid(self.process.pid, os.WUNTRACED)
        self.frozen = True

    def thaw(self) -> None:
        self.process.send_signal(signal.SIGCONT)
        self.frozen = False

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(START_SECONDS)

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(self.url + path, timeout=10) as answer:
            return json.load(answer)

    def post(self, path: str, body: Any) -> None:
        data = json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=10):
            pass


def openmetrics(metrics: Iterable[Metric]) -> Iterator[str]:
    """The text that promtool reads, line by line: the samples of one metric name stand together."""
    by_name: dict[str, list[Metric]] = {}
    for metric in metrics:
        by_name.setdefault(metric.name, []).append(metric)
    for name in sorted(by_name):
        yield f"# TYPE {name} unknown"
        for metric in by_name[name]:
            labels = ",".join(f"{key}={_quoted(value)}" for key, value in metric.labels.items())
            yield from (f"{name}{{{labels}}} {value!r} {at:.3f}" for at, value in metric.samples)
    yield "# EOF"


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def backfill(folder: Path, metrics: Iterable[Metric]) -> None:
    """Write the samples into ``folder/data`` as blocks, before the server starts."""
    text = folder / "samples.txt"
    with text.open("w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in openmetrics(metrics))
    command = [promtool_binary(), "tsdb", "create-blocks-from", "openmetrics", "--max-block-duration=8760h"]
    done = subprocess.run([*command, text, folder / "data"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    text.unlink()


@contextmanager
def prometheus(
    folder: Path,
    *,
    metrics: Iterable[Metric] = (),
    rules: Mapping[str, Any] | None = None,
    alertmanagers: Iterable[str] = (),
    scrape: Iterable[str] = (),
    seconds: float = 1,
    port: int | None = None,
) -> Iterator[Daemon]:
    """A Prometheus with these samples. ``rules`` is the content of a rule file; ``alertmanagers`` and ``scrape`` are
    ``host:port``; it scrapes and evaluates every ``seconds``."""
    binary = prometheus_binary()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "data").mkdir(exist_ok=True)
    if metrics := list(metrics):
        backfill(folder, metrics)
    interval = f"{round(seconds * 1000)}ms"
    config: dict[str, Any] = {"global": {"scrape_interval": interval, "evaluation_interval": interval}}
    if rules is not None:
        # JSON is YAML.
        (folder / "rules.yml").write_text(json.dumps(rules), encoding="utf-8")
        config["rule_files"] = [str(folder / "rules.yml")]
    if targets := list(alertmanagers):
        config["alerting"] = {"alertmanagers": [{"static_configs": [{"targets": targets}]}]}
    if targets := list(scrape):
        config["scrape_configs"] = [{"job_name": "scraped", "static_configs": [{"targets": targets}]}]
    (folder / "prometheus.yml").write_text(json.dumps(config), encoding="utf-8")
    port = port or free_port()
    command = [
        binary,
        f"--config.file={folder / 'prometheus.yml'}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--storage.tsdb.retention.time={RETENTION}",
        # It learns its Alertmanagers five seconds after the first alert; a minute would pass until it is sent again.
        "--rules.alert.resend-delay=1s",
        f"--web.listen-address=127.0.0.1:{port}",
    ]
    with _running(command, port, folder) as daemon:
        yield daemon


@contextmanager
def alertmanager(folder: Path, *, webhook: str = "", token: str = "", group_by: Iterable[str] = ()) -> Iterator[Daemon]:
    """An Alertmanager that posts to ``webhook``, with ``token`` as bearer, at once and again every second."""
    binary = alertmanager_binary()
    folder.mkdir(parents=True, exist_ok=True)
    receiver: dict[str, Any] = {"name": "oncall"}
    if webhook:
        target: dict[str, Any] = {"url": webhook, "send_resolved": True}
        if token:
            target["http_config"] = {"authorization": {"credentials": token}}
        receiver["webhook_configs"] = [target]
    waits = {"group_wait": "100ms", "group_interval": "1s", "repeat_interval": "10s"}
    config = {"route": {"receiver": "oncall", "group_by": list(group_by), **waits}, "receivers": [receiver]}
    (folder / "alertmanager.yml").write_text(json.dumps(config), encoding="utf-8")
    port = free_port()
    command = [
        binary,
        f"--config.file={folder / 'alertmanager.yml'}",
        f"--storage.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
        # Alone: no cluster, no port for one.
        "--cluster.listen-address=",
    ]
    with _running(command, port, folder) as daemon:
        yield daemon


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


@contextmanager
def _running(command: list[str], port: int, folder: Path) -> Iterator[Daemon]:
    # Without proxies of the environment: everything is on loopback.
    environment = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder, env=environment
        )
    daemon = Daemon(process, port, folder)
    try:
        _wait_until_ready(daemon)
        yield daemon
    finally:
        if daemon.frozen:
            daemon.thaw()
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            daemon.kill()


def _wait_until_ready(daemon: Daemon) -> None:
    ends = time.monotonic() + START_SECONDS
    while time.monotonic() < ends:
        if daemon.process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{daemon.url}/-/ready", timeout=5) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            pass
        time.sleep(0.05)
    pytest.fail(f"The daemon did not start:\n{(daemon.folder / 'log').read_text(errors='replace')[-2_000:]}")
