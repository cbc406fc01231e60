"""Transitions 5 and 6: back to the queue with a growing delay; failed at the last attempt, or at once for good."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from jobs import transitions
from jobs.handlers import JobContext, PermanentError, default_backoff
from jobs.models import Job
from jobs.testing import Clock, registered, run_one, run_until_idle
from tests.jobs.steps import NOON, end, outcomes, queue, row, take_one

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("kinds")]


class Torn(Exception):
    """What the handlers here raise."""


def always_torn(context: JobContext) -> None:
    raise Torn("torn")


def delays(job: Job, clock: Clock) -> list[float]:
    """Run a job until it is finished, each attempt as soon as it is due; the seconds it waited in between."""
    waited = []
    while run_one(take_one(now=clock.now), now=clock.now) == "queued":
        due: datetime = row(job)["available_at"]
        waited.append((due - clock.now).total_seconds())
        clock.now = due
    return waited


def test_the_delays_of_a_kind_that_says_nothing() -> None:
    with registered("torn", max_attempts=8) as handler:
        handler(always_torn)
        job = queue("torn")
        assert delays(job, Clock(NOON)) == [2, 4, 8, 16, 30, 30, 30]
    assert row(job)["status"] == "failed"
    assert outcomes(job) == ["failed"] * 8


def test_no_attempt_number_is_too_high() -> None:
    assert default_backoff(10_000) == 30


@pytest.mark.parametrize(
    ("backoff", "wanted"),
    [
        (lambda attempt: 10 * attempt, [10, 20]),
        (lambda attempt: 0, [0, 0]),
        (lambda attempt: 1 / 0, [2, 4]),
        (lambda attempt: -1, [2, 4]),
        (lambda attempt: float("nan"), [2, 4]),
        (lambda attempt: float("inf"), [2, 4]),
        (lambda attempt: None, [2, 4]),
    ],
    ids=["its own", "none", "raises", "negative", "not a number", "endless", "nothing"],
)
def test_a_kinds_own_delay_counts_where_it_makes_sense(backoff: Callable[[int], Any], wanted: list[float]) -> None:
    with registered("torn", backoff=backoff) as handler:
        handler(always_torn)
        assert delays(queue("torn"), Clock(NOON)) == wanted


def test_the_budget_is_in_the_row_and_not_in_the_kind() -> None:
    with registered("torn", max_attempts=9) as handler:
        handler(always_torn)
        job = queue("torn", max_attempts=1)
        assert delays(job, Clock(NOON)) == []
    assert (row(job)["attempt"], row(job)["error_message"]) == (1, "torn")


@pytest.mark.parametrize("ending", ["retried", "timed_out"])
def test_the_last_attempt_fails_the_job(ending: str) -> None:
    job = queue(max_attempts=2)
    assert end(take_one(), ending) == "queued"
    later = NOON + timedelta(minutes=1)
    assert end(take_one(now=later), ending, now=later) == "failed"
    after = row(job)
    assert (after["attempt"], after["completed_at"], after["fair_tag"]) == (2, later, None)


@pytest.mark.parametrize("error", [PermanentError("no such page"), Torn("torn")])
def test_an_error_that_another_attempt_cannot_mend(error: Exception) -> None:
    def broken(context: JobContext) -> None:
        raise error

    with registered("broken", permanent=[Torn]) as handler:
        handler(broken)
        job = queue("broken")
        assert run_one(take_one(), now=NOON) == "failed"
    after = row(job)
    assert (after["attempt"], after["error_message"]) == (1, str(error))
    assert outcomes(job) == ["failed"]


def test_a_result_that_cannot_be_stored_fails_for_good() -> None:
    with registered("odd") as handler:
        handler(lambda context: {"when": NOON})
        job = queue("odd")
        assert run_one(take_one(), now=NOON) == "failed"
    assert row(job)["error_message"].startswith("The result is not JSON:")


def test_a_result_above_256_kb_fails_for_good() -> None:
    with registered("large") as handler:
        handler(lambda context: "x" * 300_000)
        job = queue("large")
        assert run_one(take_one(), now=NOON) == "failed"
    assert row(job)["error_message"] == "The result is 300002 bytes of JSON; at most 262144 are stored."


def test_snoozes_and_releases_cost_nothing_of_the_budget() -> None:
    job = queue(max_attempts=1)
    now = NOON
    for ending in ["snoozed", "released"] * 3:
        assert end(take_one(now=now), ending, now=now) == "queued"
        now += timedelta(minutes=2)
    assert end(take_one(now=now), "retried", now=now) == "failed"
    assert (row(job)["attempt"], row(job)["epoch"]) == (1, 7)
    assert outcomes(job) == ["snoozed", "released"] * 3 + ["failed"]


def test_an_error_is_kept_while_the_job_waits_and_runs_again() -> None:
    job = queue()
    end(take_one(), "retried")
    assert row(job)["error_message"] == "The page has no text."
    claimed = take_one(now=NOON + timedelta(seconds=2))
    assert row(job)["error_message"] == "The page has no text."
    transitions.succeed(claimed)
    assert row(job)["error_message"] == ""


def test_a_turned_clock_runs_what_is_due_then_and_no_more() -> None:
    with registered("torn") as handler:
        handler(always_torn)
        queue("torn")
        far_ahead = Clock(NOON + timedelta(days=4000))
        assert run_until_idle(now=far_ahead.now) == 1
        assert run_until_idle(now=far_ahead.turn(seconds=2)) == 1
