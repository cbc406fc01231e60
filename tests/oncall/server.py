"""A real ``manage.py serve`` with a home of its own, for the tests that need one."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MANAGE = str(Path(__file__).resolve().parents[2] / "manage.py")


def environment(home: Path) -> dict[str, str]:
    unset = {"DATABASE_URL", "ONCALL_HOST", "ONCALL_PORT"}
    return {**{k: v for k, v in os.environ.items() if k not in unset}, "ONCALL_HOME": str(home)}


def manage(home: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, MANAGE, *arguments]
    env = {**environment(home), **variables}
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)


@contextmanager
def serving(home: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str, int]]:
    """The process, its host and port; ended with SIGTERM, and its log is in ``home/log``."""
    command = [sys.executable, MANAGE, "serve", "--port", "0", *arguments]
    with (home / "log").open("w") as log:
        process = subprocess.Popen(command, env=environment(home), stdout=subprocess.PIPE, stderr=log, text=True)
    assert process.stdout is not None
    try:
        address = re.search(r"http://([\d.]+):(\d+)/", process.stdout.readline())
        assert address, (home / "log").read_text()
        yield process, address[1], int(address[2])
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.wait(60)
        process.stdout.close()
