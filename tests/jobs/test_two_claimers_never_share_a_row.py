"""Four real processes empty one queue: every job is run once; when some are killed, the others finish their jobs."""

import os
import signal
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack

import pytest
from django.conf import settings
from django.db import connection
from django.db.models import Count, F, Q

from jobs.enqueue import enqueue_many
from jobs.models import Job, JobAttempt
from tests.jobs.steps import KIND

pytestmark = [pytest.mark.e2e, pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("kinds")]
PATIENCE_SECONDS = 60


def database_url() -> str:
    """The address of the test's own database."""
    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}"
    return f"{os.environ['DATABASE_URL'].rpartition('/')[0]}/{name}"


def run(*commands: list[str]) -> list[tuple[int, list[str]]]:
    """Start claimers, let them go, wait for their end: exit code and the ids that each printed.

    All go at the same moment; but those that are to die hold their jobs before the next one is let go.
    """
    environment = {**os.environ, "DATABASE_URL": database_url(), "DJANGO_SETTINGS_MODULE": "tests.settings"}
    with ExitStack() as stack:
        processes = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-m", "tests.jobs.claimer", *command],
                    cwd=settings.BASE_DIR,
                    env=environment,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            for command in commands
        ]
        for process in processes:
            stack.callback(process.kill)
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process, command in zip(processes, commands, strict=True):
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write("go\n")
            process.stdin.flush()
            if "--die-after" in command:
                assert process.stdout.readline() == "holding\n"
        printed = [process.communicate(timeout=PATIENCE_SECONDS)[0].split() for process in processes]
        return [(process.returncode, ids) for process, ids in zip(processes, printed, strict=True)]


def test_two_thousand_jobs_are_each_run_once() -> None:
    jobs = enqueue_many(KIND, owner=None, items=[{"resource": ("film", str(n))} for n in range(2_000)])
    ended = run(*([f"worker_{n}", str(n)] for n in range(4)))
    assert [code for code, _ in ended] == [0] * 4
    ran = Counter(job_id for _, ids in ended for job_id in ids)
    assert ran == Counter(job.pk for job in jobs)
    assert Job.objects.filter(status="succeeded", epoch=1, attempt=1).count() == 2_000
    assert JobAttempt.objects.filter(outcome="succeeded").count() == JobAttempt.objects.count() == 2_000
    assert sum(bool(ids) for _, ids in ended) > 1, "One process did it all: nothing was shown."


def test_what_a_killed_process_held_is_done_by_the_others() -> None:
    enqueue_many(KIND, owner=None, items=[{}] * 200)
    mortal = ["--lease-seconds", "2", "--die-after", "3"]
    ended = run(*([f"worker_{n}", str(n), *(mortal if n < 2 else [])] for n in range(4)))
    assert [code for code, _ in ended] == [-signal.SIGKILL, -signal.SIGKILL, 0, 0]
    assert Job.objects.filter(status="succeeded").count() == 200
    counted = Job.objects.annotate(
        rows=Count("attempts"), done=Count("attempts", filter=Q(attempts__outcome="succeeded"))
    )
    assert not counted.exclude(rows=F("epoch"), done=1).exists()
    others = JobAttempt.objects.exclude(outcome="succeeded")
    assert set(others.values_list("outcome", "worker")) == {("lost", "worker_0"), ("lost", "worker_1")}
