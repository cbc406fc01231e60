"""Several worker processes on one SQLite file: each job runs once; a burst takes what it should and ends."""

import pytest

from tests.e2e.worker_process import Home

pytestmark = pytest.mark.e2e


def test_four_processes_run_two_thousand_jobs_once_each(home: Home) -> None:
    jobs = home.enqueue("quick", count=2000)
    workers = [home.worker("--burst", "--concurrency", "10", "--verbosity", "0") for _ in range(4)]
    assert [worker.exit_code(seconds=90) for worker in workers] == [0] * 4
    ran = home.notes("ran")
    assert sorted(job for job, _, _ in ran) == sorted(jobs)
    assert home.ask("SELECT DISTINCT status, attempt, epoch FROM jobs_job") == [("succeeded", 1, 1)]
    assert home.ask("SELECT count(*), count(DISTINCT job_id) FROM jobs_jobattempt") == [(2000, 2000)]


def test_a_burst_ends_when_idle_and_leaves_what_is_not_its_own(home: Home) -> None:
    mine = home.enqueue("quick", count=5)
    (delayed,) = home.enqueue("quick", delayed=True)
    (other,) = home.enqueue("patient")
    assert home.worker("--burst", "--kinds", "quick,work").exit_code() == 0
    assert {home.job(job)[0] for job in mine} == {"succeeded"}
    assert (home.job(delayed)[0], home.job(other)[0]) == ("queued", "queued")
