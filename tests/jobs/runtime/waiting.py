"""Waiting for what threads do: for a condition, with a limit, never for a fixed time."""

import threading
import time
from collections.abc import Callable

from django.db import connections

from jobs.models import Job, JobAttempt, JobEvent
from jobs.states import TERMINAL

LIMIT_SECONDS = 15.0


def eventually(holds: Callable[[], object], *, seconds: float = LIMIT_SECONDS, what: str = "it") -> float:
    """Wait until ``holds()``; returns the seconds that took. Fails after ``seconds``."""
    started = time.monotonic()
    while not holds():
        assert time.monotonic() - started < seconds, f"{what} did not come to pass within {seconds} s"
        time.sleep(0.005)
    return time.monotonic() - started


def ended(job: Job, *, seconds: float = LIMIT_SECONDS) -> Job:
    """The job's row once it is in a final status."""
    eventually(lambda: status_of(job) in TERMINAL, seconds=seconds, what=f"the end of {job}")
    return Job.objects.get(pk=job.pk)


def aside(function: Callable[[], object]) -> threading.Thread:
    """Call ``function`` in a thread that leaves no connection behind."""

    def call() -> None:
        try:
            function()
        finally:
            connections.close_all()

    thread = threading.Thread(target=call)
    thread.start()
    return thread


def status_of(job: Job) -> str:
    return Job.objects.values_list("status", flat=True).get(pk=job.pk)


def outcomes(job: Job) -> list[str | None]:
    return list(JobAttempt.objects.filter(job=job).order_by("epoch").values_list("outcome", flat=True))


def said(job: Job) -> list[str]:
    """The types of the job's events, in order; their numbers have no gap."""
    rows = list(JobEvent.objects.filter(job=job).order_by("sequence").values_list("sequence", "type"))
    assert [sequence for sequence, _ in rows] == list(range(1, len(rows) + 1))
    return [type for _, type in rows]
