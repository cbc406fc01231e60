"""SIGTERM and Ctrl-C drain and exit 0, also when a handler never comes back; what is broken exits 75."""

import signal

import pytest

from tests.e2e.worker_process import Home, eventually

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_waits_for_what_runs(home: Home, number: signal.Signals) -> None:
    (job,) = home.enqueue("patient")
    worker = home.worker()
    eventually(lambda: home.notes("began"))
    worker.signal(number)
    eventually(lambda: "background.worker.draining" in worker.log)
    home.touch("go")
    assert worker.exit_code() == 0
    assert home.job(job) == ("succeeded", 1, 1, "")


def test_with_a_thread_still_blocked_the_job_is_given_back(home: Home) -> None:
    (job,) = home.enqueue("blocked")
    worker = home.worker("--drain-seconds", "0.5")
    eventually(lambda: home.notes("began"))
    worker.signal(signal.SIGTERM)
    assert worker.exit_code() == 0  # Long before the handler would come back.
    assert home.job(job)[:3] == ("queued", 0, 1)
    assert home.outcomes(job) == ["released"]
    assert home.events(job) == ["begun"]
    assert home.ask("SELECT state FROM jobs_worker") == [("stopped",)]


def test_a_second_signal_hurries(home: Home) -> None:
    (job,) = home.enqueue("blocked")
    worker = home.worker("--drain-seconds", "60")
    eventually(lambda: home.notes("began"))
    worker.signal(signal.SIGTERM)
    eventually(lambda: "background.worker.draining" in worker.log)
    worker.signal(signal.SIGTERM)
    assert worker.exit_code() == 0  # Long before the time to drain is over.
    assert home.outcomes(job) == ["released"]
    assert "Waiting up to 60 s for 1 job; Ctrl-C again to give it back now." in worker.log
    assert "\x1b[" not in worker.log


def test_a_loop_that_is_blocked_for_a_lease_exits_75(home: Home) -> None:
    (job,) = home.enqueue("blocks-the-loop")
    worker = home.worker("--lease-seconds", "6", "--drain-seconds", "0")
    assert worker.exit_code() == 75
    assert "the event loop has not answered for a lease" in worker.log
    assert home.outcomes(job) == ["released"]
