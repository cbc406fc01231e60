"""The worker's own row: who it is and when it was last alive. No lease depends on it; operators and /ready read it."""

import os
import secrets
import socket
from datetime import timedelta
from importlib.metadata import PackageNotFoundError, version

import psutil

from jobs import sql
from jobs.models import Worker


def _version() -> str:
    try:
        return version("oncallagent")
    except PackageNotFoundError:
        return "unknown"


class Registration:
    def __init__(self, *, kinds: list[str], concurrency: int, lease_seconds: float) -> None:
        # Made at each start: a restarted worker on the same host and pid is somebody else.
        self.worker_id = f"worker_{secrets.token_hex(16)}"
        self._kinds = kinds
        self._concurrency = concurrency
        self._lease = timedelta(seconds=lease_seconds)
        self.state = Worker.State.RUNNING
        self._process = psutil.Process()
        self._started_at = sql.current_time(None)

    def beat(self) -> None:
        """Write the row, or write it again where somebody pruned it."""
        now = sql.current_time(None)
        Worker.objects.update_or_create(
            pk=self.worker_id,
            defaults={
                "state": self.state,
                "heartbeat_at": now,
                "expires_at": now if self.state == Worker.State.STOPPED else now + self._lease,
                "memory_bytes": self._process.memory_info().rss,
            },
            create_defaults={
                "host": socket.gethostname(),
                "pid": os.getpid(),
                "version": _version(),
                "kinds": self._kinds,
                "concurrency": self._concurrency,
                "state": self.state,
                "started_at": self._started_at,
                "heartbeat_at": now,
                "expires_at": now + self._lease,
                "memory_bytes": self._process.memory_info().rss,
            },
        )
