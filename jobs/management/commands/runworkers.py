"""Run background jobs until told to stop: the one way in which jobs run."""

import os
import signal
import sys
import threading
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from jobs import instrument
from jobs.runtime.runtime import BackgroundJobRuntime


class Command(BaseCommand):
    help = "Claims and runs background jobs. SIGTERM or Ctrl-C drains; a second one gives running jobs back at once."
    requires_system_checks = ("database", "jobs")

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--concurrency", type=int, default=2, help="jobs at the same time (default 2)")
        parser.add_argument("--kinds", default=None, help="serve only these kinds, separated by commas")
        parser.add_argument("--lease-seconds", type=float, default=settings.ONCALL_LEASE_SECONDS, help="at least 6")
        parser.add_argument("--drain-seconds", type=float, default=30, help="how long a stop waits (default 30)")
        parser.add_argument("--burst", action="store_true", help="stop when nothing is ready any more")

    def handle(self, *args: Any, **options: Any) -> None:
        _refuse_unless_migrated()
        kinds = None if options["kinds"] is None else _kinds(options["kinds"])
        try:
            runtime = BackgroundJobRuntime(
                concurrency=options["concurrency"],
                kinds=kinds,
                lease_seconds=options["lease_seconds"],
                drain_seconds=options["drain_seconds"],
            )
        except ValueError as error:
            raise CommandError(str(error)) from None
        if options["verbosity"] == 0:
            instrument.warnings_only()
        else:
            stop = " Ctrl-C stops it." if _is_in_the_foreground() else ""
            self._say(f"Worker {runtime.worker_id}: concurrency {options['concurrency']}.{stop}")
        _stop_on_signals(runtime)
        runtime.start()
        if options["burst"]:
            threading.Thread(target=_stop_when_idle, args=[runtime], daemon=True).start()
        runtime.wants_to_stop.wait()
        if options["drain_seconds"] > 0 and (held := runtime.held):
            self._say(_waiting(held, options["drain_seconds"]))
        runtime.stop()
        sys.stdout.flush()
        sys.stderr.flush()
        # Threads of handlers that never come back would hold up a normal exit.
        os._exit(runtime.exit_code)

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()


def _kinds(text: str) -> list[str]:
    kinds = [kind.strip() for kind in text.split(",") if kind.strip()]
    if not kinds:
        raise CommandError("--kinds names no kind.")
    return kinds


def _is_in_the_foreground() -> bool:
    """Whether a Ctrl-C at the terminal comes to us; beside a server it goes to that one, which then stops us."""
    try:
        return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except (OSError, ValueError, AttributeError):
        return False


def _waiting(held: int, seconds: float) -> str:
    jobs, them = ("1 job", "it") if held == 1 else (f"{held} jobs", "them")
    return f"Waiting up to {seconds:g} s for {jobs}; Ctrl-C again to give {them} back now."


def _stop_on_signals(runtime: BackgroundJobRuntime) -> None:
    def tell() -> None:
        if runtime.wants_to_stop.is_set():
            runtime.hurry()
        runtime.wants_to_stop.set()

    def stop(signum: int, frame: object) -> None:
        # In a thread: the signal may strike while this one holds the lock of the very event that is to be set.
        threading.Thread(target=tell, daemon=True).start()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)


def _stop_when_idle(runtime: BackgroundJobRuntime) -> None:
    runtime.wait_until_idle()
    runtime.wants_to_stop.set()


def _refuse_unless_migrated() -> None:
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        raise CommandError(f"The database cannot be read: {error}") from None
    if missing:
        raise CommandError("The database is not migrated: run `manage.py migrate` first.")
    connection.close()
