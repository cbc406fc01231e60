"""Real ``manage.py runworkers`` processes on a data folder of their own, and what they leave in its database."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
APP = "tests.e2e.worker_jobs"
_UNSET = {"DATABASE_URL", "DJANGO_SETTINGS_MODULE"}


class Home:
    """A data folder with a migrated database."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.workers: list[Worker] = []

    def copy(self, folder: Path) -> "Home":
        shutil.copytree(self.folder, folder)
        return Home(folder)

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """``manage.py`` to its end."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            env=self.environment(**environment), cwd=ROOT, capture_output=True, text=True, timeout=90, check=False,
        )  # fmt: skip

    def enqueue(self, kind: str, *, count: int = 1, delayed: bool = False) -> list[str]:
        """Queue jobs in another process; their ids."""
        when = "timezone.now() + timedelta(hours=1)" if delayed else "None"
        code = (
            "from datetime import timedelta\nfrom django.utils import timezone\nfrom django.db import transaction\n"
            "from jobs.enqueue import enqueue\n"
            f"with transaction.atomic():\n for _ in range({count}):\n"
            f"  print(enqueue({kind!r}, owner=None, available_at={when}).pk)"
        )
        done = self.run("shell", "--no-imports", "-c", code)
        assert done.returncode == 0, done.stderr
        return [line for line in done.stdout.split() if line.startswith("job_")]

    def worker(self, *arguments: str) -> "Worker":
        return self.worker_with(APP, *arguments)

    def worker_with(self, apps: str, *arguments: str) -> "Worker":
        """A worker with these extra apps."""
        worker = Worker(self, len(self.workers), arguments, self.environment(ONCALL_EXTRA_APPS=apps))
        self.workers.append(worker)
        return worker

    def notes(self, what: str) -> list[tuple[str, int, int]]:
        """(job id, epoch, pid) for each note of this kind, in order."""
        path = self.folder / "notes"
        lines = [line.split() for line in path.read_text().splitlines()] if path.exists() else []
        return [(job_id, int(epoch), int(pid)) for said, job_id, epoch, pid in lines if said == what]

    def touch(self, name: str) -> None:
        (self.folder / name).touch()

    def ask(self, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.folder / "oncall.sqlite3", timeout=20)) as database, database:
            return database.execute(query, parameters).fetchall()

    def job(self, job_id: str) -> tuple[str, int, int, str]:
        """Status, attempt, epoch, error."""
        (found,) = self.ask("SELECT status, attempt, epoch, error_message FROM jobs_job WHERE id = ?", job_id)
        return found

    def outcomes(self, job_id: str) -> list[str | None]:
        rows = self.ask("SELECT outcome FROM jobs_jobattempt WHERE job_id = ? ORDER BY epoch", job_id)
        return [outcome for (outcome,) in rows]

    def events(self, job_id: str) -> list[str]:
        rows = self.ask("SELECT type FROM jobs_jobevent WHERE job_id = ? ORDER BY sequence", job_id)
        return [type for (type,) in rows]

    def count(self, status: str) -> int:
        ((number,),) = self.ask("SELECT count(*) FROM jobs_job WHERE status = ?", status)
        return int(number)

    def clear(self) -> None:
        for worker in self.workers:
            worker.kill()

    def environment(self, **more: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name not in _UNSET}
        return {**kept, "ONCALL_HOME": str(self.folder), "ONCALL_EXTRA_APPS": APP, **more}


class Worker:
    """One process. Its log is the file ``worker-<number>.log`` of its home."""

    def __init__(self, home: Home, number: int, arguments: tuple[str, ...], environment: dict[str, str]) -> None:
        self._log = home.folder / f"worker-{number}.log"
        with self._log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "runworkers", *arguments],
                env=environment, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT,
            )  # fmt: skip

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def log(self) -> str:
        return self._log.read_text()

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def exit_code(self, *, seconds: float = 40) -> int:
        return self.process.wait(seconds)

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)


def eventually(holds: Callable[[], object], *, seconds: float = 40, what: Callable[[], str] = lambda: "it") -> None:
    """Wait for what other processes do: for a condition, with a limit."""
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, f"{what()} did not come to pass within {seconds} s"
        time.sleep(0.02)
