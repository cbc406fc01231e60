"""The worker process beside the web process: started, started again with back-off when it dies, ended with us."""

import ctypes
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from django.conf import settings
from structlog import get_logger

log = get_logger(__name__)

FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 30.0
# A child that has lived this long was well: the back-off starts over.
WELL_AFTER_SECONDS = 60.0
# The worker drains for up to 30 s of its own; then it is killed, and its leases are reclaimed elsewhere.
STOP_SECONDS = 35.0
# Told a second time it gives its jobs back, uncharged; that needs the database, so it is given a moment.
HURRY_SECONDS = 8.0
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


class WorkerProcess:
    """One ``manage.py runworkers`` child, watched by a thread of ours."""

    def __init__(self, *, concurrency: int) -> None:
        self._command = [
            sys.executable,
            str(Path(settings.BASE_DIR) / "manage.py"),
            "runworkers",
            "--concurrency",
            str(concurrency),
        ]
        self._stopping = threading.Event()
        self._child: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._watcher = threading.Thread(target=self._watch, name="worker-process", daemon=True)

    def start(self) -> None:
        self._watcher.start()

    def stop(self) -> None:
        """End the child: it drains; a second Ctrl-C makes it give its jobs back; a third, or its time, kills it."""
        with self._lock:
            self._stopping.set()
            child = self._child
        if child is None or child.poll() is not None:
            return
        for seconds in (STOP_SECONDS, HURRY_SECONDS):
            child.send_signal(signal.SIGTERM)
            if _ends_within(child, seconds):
                return
        child.kill()
        child.wait()

    def _watch(self) -> None:
        pause = FIRST_PAUSE_SECONDS
        while (child := self._spawn()) is not None:
            started = time.monotonic()
            code = child.wait()
            if self._stopping.is_set():
                return
            pause = FIRST_PAUSE_SECONDS if time.monotonic() - started > WELL_AFTER_SECONDS else pause
            log.error("serve.worker_died", exit_code=code, restart_in_seconds=pause)
            if self._stopping.wait(pause):
                return
            pause = min(LONGEST_PAUSE_SECONDS, pause * 2)

    def _spawn(self) -> subprocess.Popen[bytes] | None:
        """The next child, or None when we are stopping: decided under the lock, so that none slips through."""
        with self._lock:
            if self._stopping.is_set():
                return None
            # A session of its own: Ctrl-C goes to us alone, and we tell the child once, in order.
            self._child = subprocess.Popen(self._command, start_new_session=True, preexec_fn=_end_with_parent)
            return self._child


def _ends_within(child: "subprocess.Popen[bytes]", seconds: float) -> bool:
    """Wait for the child; False when it still runs after ``seconds``, or at a Ctrl-C."""
    try:
        child.wait(seconds)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        return child.poll() is not None
    return True


def _end_with_parent() -> None:
    """In the child, before it becomes the worker: SIGTERM should we be killed outright (Linux; elsewhere it stays)."""
    if _libc is not None:
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
