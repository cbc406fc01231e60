"""Run a command with ``DATABASE_URL`` set to a PostgreSQL of its own: ``python tests/postgres.py pytest tests/jobs``.

The server comes from the pgserver wheel, lives in a temporary folder, listens on a Unix socket only, and is gone
afterwards. The wheel's own starter is not used: as root it adds a system user and opens the permissions of every
folder above the data. The exit code is the command's; 2 when there is no server to start.
"""

import contextlib
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MISSING = (
    "PostgreSQL was not started: the pgserver wheel is not installed (there is none for Python 3.13 and later). "
    "Set DATABASE_URL=postgres://… and run pytest yourself; CONTRIBUTING.md shows how."
)
# Nothing here outlives the command, so nothing has to reach the disk.
UNSAFE_AND_FAST = ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"]
START_SECONDS = 60


def find_installation() -> Path | None:
    """The folder with ``bin``, ``lib`` and ``share``."""
    spec = importlib.util.find_spec("pgserver")
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent / "pginstall"


def as_plain_user() -> dict[str, Any]:
    """Arguments of ``subprocess`` that drop root, which PostgreSQL refuses to run as."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def reachable(installation: Path, home: Path) -> Path:
    """An installation that the plain user may read: a copy in ``home`` when a folder above it is closed to others."""
    try:
        subprocess.run(
            [installation / "bin" / "postgres", "--version"], check=True, capture_output=True, **as_plain_user()
        )
    except (OSError, subprocess.CalledProcessError):
        package = installation.parent
        for name in (package.name, f"{package.name}.libs"):
            if (package.parent / name).exists():
                shutil.copytree(package.parent / name, home / "copy" / name)
        return home / "copy" / package.name / installation.name
    return installation


def wait_until_ready(server: subprocess.Popen[bytes], data: Path) -> None:
    """The last line of ``postmaster.pid`` says ``ready`` once connections are taken."""
    ends = time.monotonic() + START_SECONDS
    status = data / "postmaster.pid"
    while time.monotonic() < ends:
        if server.poll() is not None:
            raise SystemExit(f"PostgreSQL stopped at its start with code {server.returncode}.")
        if status.exists() and status.read_text().rstrip().endswith("ready"):
            return
        time.sleep(0.05)
    raise SystemExit(f"PostgreSQL was not ready after {START_SECONDS} s.")


@contextlib.contextmanager
def running(installation: Path, home: Path) -> Iterator[str]:
    """A server in ``home``; gives its ``DATABASE_URL``."""
    bin_folder = reachable(installation, home) / "bin"
    data, sockets = home / "data", home / "s"
    user = as_plain_user()
    for folder in (data, sockets):
        folder.mkdir(mode=0o700)
        if user:
            os.chown(folder, user["user"], user["group"])
    common: dict[str, Any] = {"cwd": home, "stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, **user}
    subprocess.run(
        [
            bin_folder / "initdb",
            "-D",
            data,
            "-U",
            "postgres",
            "--auth=trust",
            "--encoding=utf8",
            "--locale=C",
            "--no-sync",
        ],
        check=True,
        **common,
    )
    # Its own session: Ctrl-C stops the command first, and the server only after it.
    server = subprocess.Popen(
        [bin_folder / "postgres", "-D", data, "-k", sockets, "-h", "", *UNSAFE_AND_FAST],
        stderr=(home / "log").open("wb"),
        start_new_session=True,
        **common,
    )
    try:
        wait_until_ready(server, data)
        yield f"postgres://postgres@/{sockets}/postgres"
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(START_SECONDS)


def main(command: list[str]) -> int:
    installation = find_installation()
    if not command or installation is None:
        print(MISSING if command else __doc__, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="pg-") as folder:
        home = Path(folder)
        home.chmod(0o755)
        with running(installation, home) as url:
            return subprocess.run(command, env={**os.environ, "DATABASE_URL": url}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
