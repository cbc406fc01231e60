"""Workers that are killed, stopped or slow, as real processes: the work is done once in effect, by whoever is left."""

import signal
import time

import pytest

from tests.e2e.worker_process import Home, eventually

pytestmark = pytest.mark.e2e


def test_after_sigkill_another_worker_finishes_with_attempt_two(home: Home) -> None:
    (job,) = home.enqueue("patient")
    first = home.worker("--lease-seconds", "6")
    eventually(lambda: home.notes("began"))
    first.signal(signal.SIGKILL)
    second = home.worker("--lease-seconds", "6")
    eventually(lambda: len(home.notes("began")) == 2, what=lambda: second.log)
    home.touch("go")
    eventually(lambda: home.job(job)[0] == "succeeded")
    assert home.job(job) == ("succeeded", 2, 2, "")
    assert home.outcomes(job) == ["lost", "succeeded"]
    assert [(epoch, pid) for _, epoch, pid in home.notes("began")] == [(1, first.pid), (2, second.pid)]
    assert home.events(job) == ["begun", "begun"]


def test_a_cancel_request_outlives_the_worker(home: Home) -> None:
    (job,) = home.enqueue("patient")
    first = home.worker("--lease-seconds", "6")
    eventually(lambda: home.notes("began"))
    first.signal(signal.SIGKILL)
    home.ask("UPDATE jobs_job SET cancel_requested_at = '2026-12-01 12:00:00' WHERE id = ?", job)
    home.worker("--lease-seconds", "6")
    eventually(lambda: home.job(job)[0] == "cancelled")
    assert home.job(job)[1:3] == (1, 1)
    assert home.outcomes(job) == ["lost"]


def test_a_sleeper_that_wakes_after_its_lease_writes_nothing(home: Home) -> None:
    (job,) = home.enqueue("sleeper")
    first = home.worker("--lease-seconds", "6")
    eventually(lambda: home.notes("began"))
    first.signal(signal.SIGSTOP)
    second = home.worker("--lease-seconds", "6")
    eventually(lambda: home.job(job)[0] == "succeeded", what=lambda: second.log)
    before = home.ask("SELECT * FROM jobs_job WHERE id = ?", job)
    home.touch("go")
    first.signal(signal.SIGCONT)
    eventually(lambda: home.notes("tried"))
    # It works again: the next job may go to either.
    (later,) = home.enqueue("quick")
    eventually(lambda: home.job(later)[0] == "succeeded")
    eventually(lambda: "background.job.lease_lost" in first.log)
    assert not home.notes("wrote-fenced")
    assert home.ask("SELECT * FROM jobs_job WHERE id = ?", job) == before
    assert home.ask("SELECT name FROM auth_group") == [("finish 2",)]
    assert home.events(job) == ["second"]
    assert home.outcomes(job) == ["lost", "succeeded"]


def test_a_lease_is_renewed_for_as_long_as_the_handler_runs(home: Home) -> None:
    (job,) = home.enqueue("patient")
    home.worker("--lease-seconds", "6")
    eventually(lambda: home.notes("began"))
    began = time.monotonic()
    rival = home.worker("--lease-seconds", "6")
    eventually(lambda: time.monotonic() > began + 7)  # Longer than any lease that was not renewed.
    home.touch("go")
    eventually(lambda: home.job(job)[0] == "succeeded", what=lambda: rival.log)
    assert home.job(job) == ("succeeded", 1, 1, "")
    assert len(home.notes("began")) == 1


def test_workers_that_are_killed_under_load_lose_no_job(home: Home) -> None:
    held = home.enqueue("patient", count=2)  # The first to be taken, and not over before the file is there.
    home.enqueue("work", count=300)
    arguments = ("--lease-seconds", "6", "--concurrency", "5")
    doomed = [home.worker(*arguments) for _ in range(2)]
    eventually(lambda: home.count("succeeded") > 40)
    for worker in doomed:
        worker.signal(signal.SIGKILL)
    assert [home.job(job)[0] for job in held] == ["running"] * 2
    home.touch("go")
    survivors = [home.worker(*arguments) for _ in range(2)]
    eventually(lambda: home.count("succeeded") == 302, what=lambda: survivors[0].log[-2000:])
    assert [home.outcomes(job) for job in held] == [["lost", "succeeded"]] * 2
    # Each finish stands once, with the epoch that the job ended in.
    painted = sorted(name for (name,) in home.ask("SELECT name FROM auth_group"))
    assert painted == sorted(
        f"{job} {epoch}" for job, epoch in home.ask("SELECT id, epoch FROM jobs_job WHERE kind = 'work'")
    )
    assert {outcome for (outcome,) in home.ask("SELECT DISTINCT outcome FROM jobs_jobattempt")} <= {"lost", "succeeded"}
    ((lost,),) = home.ask("SELECT count(*) FROM jobs_jobattempt WHERE outcome = 'lost'")
    assert lost <= 10
    gaps = home.ask("SELECT job_id FROM jobs_jobevent GROUP BY job_id HAVING max(sequence) <> count(*)")
    assert gaps == []
