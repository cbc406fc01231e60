"""Transitions 4, 5, 6, 8, 10, 12: what each end of an attempt writes, to the job, its attempt and its domain row."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction

from jobs import transitions
from jobs.claimed import ClaimedJob
from jobs.models import Job
from oncall.models import User
from tests.domain.models import Picture
from tests.jobs.album import Album
from tests.jobs.steps import BROKEN, ENDINGS, NOON, attempt_of, changed, end, queue_for_picture, row, take_one

pytestmark = pytest.mark.django_db
SECOND = timedelta(seconds=1)
LATER = NOON + 5 * SECOND
TIMED_OUT = "Background job timed out."
FREED = {"lease_owner": None, "lease_expires_at": None, "updated_at": LATER}

# ending: (status, further columns of the job, outcome and error of the attempt)
WANTED: dict[str, tuple[str, dict[str, Any], tuple[str, str, str]]] = {
    "succeeded": ("succeeded", {"completed_at": LATER, "result": {"pages": 3}}, ("succeeded", "", "")),
    "failed": (
        "failed",
        {"completed_at": LATER, "error_message": BROKEN.message},
        ("failed", BROKEN.error_class, BROKEN.message),
    ),
    "retried": (
        "queued",
        {"available_at": LATER + 2 * SECOND, "error_message": BROKEN.message},
        ("failed", BROKEN.error_class, BROKEN.message),
    ),
    "timed_out": (
        "queued",
        {"available_at": LATER + 2 * SECOND, "error_message": TIMED_OUT},
        ("timed_out", "TimeoutError", TIMED_OUT),
    ),
    "cancelled": ("cancelled", {"completed_at": LATER}, ("cancelled", "", "")),
    "released": ("queued", {"available_at": LATER, "fair_tag": 0, "attempt": 0}, ("released", "", "")),
    "snoozed": ("queued", {"available_at": LATER + 60 * SECOND, "attempt": 0}, ("snoozed", "", "")),
}


@pytest.fixture
def running(album: Album, alice: User) -> tuple[ClaimedJob, Picture]:
    """A job in its first attempt, its domain told so far."""
    _, picture = queue_for_picture(owner=alice, payload={"width": 80})
    claimed = take_one()
    album.forget()
    return claimed, picture


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_job(running: tuple[ClaimedJob, Picture], ending: str) -> None:
    job, _ = running
    before = row(job)
    status, columns, _ = WANTED[ending]
    assert end(job, ending, now=LATER) == status
    after = row(job)
    assert {name: after[name] for name in changed(before, after)} == {"status": status, **FREED, **columns}


@pytest.mark.parametrize("ending", ENDINGS)
def test_its_attempt(running: tuple[ClaimedJob, Picture], ending: str) -> None:
    job, _ = running
    end(job, ending, now=LATER)
    attempt = attempt_of(job)
    assert (attempt.outcome, attempt.error_class, attempt.error_message) == WANTED[ending][2]
    assert (attempt.started_at, attempt.ended_at, attempt.number) == (NOON, LATER, 1)
    assert attempt.traceback == (BROKEN.traceback if ending in ("failed", "retried") else "")


@pytest.mark.parametrize("ending", ENDINGS)
def test_its_domain_row(running: tuple[ClaimedJob, Picture], album: Album, alice: User, ending: str) -> None:
    job, picture = running
    status, _, (_, _, error) = WANTED[ending]
    end(job, ending, now=LATER)
    change = album.last
    assert (change.job_id, change.owner_user_id) == (job.id, alice.pk)
    assert (change.resource_type, change.resource_id) == ("picture", str(picture.pk))
    assert (change.from_status, change.to_status, change.epoch, change.error) == ("running", status, 1, error)
    assert album.moments == [LATER]
    picture.refresh_from_db()
    assert (picture.status, picture.writes) == (status, 3)


@pytest.mark.parametrize("ending", ENDINGS)
def test_job_and_domain_row_are_undone_together(running: tuple[ClaimedJob, Picture], ending: str) -> None:
    job, picture = running
    before = row(job)
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        end(job, ending, now=LATER)
        raise ZeroDivisionError
    picture.refresh_from_db()
    assert (row(job), attempt_of(job).outcome, picture.status) == (before, None, "running")


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_domain_that_refuses_undoes_the_end(running: tuple[ClaimedJob, Picture], album: Album, ending: str) -> None:
    job, picture = running
    before = row(job)
    album.refuse(WANTED[ending][0])
    with pytest.raises(Exception, match="The album is shut"):
        end(job, ending, now=LATER)
    picture.refresh_from_db()
    assert (row(job), attempt_of(job).outcome, picture.status) == (before, None, "running")


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_domain_row_that_is_gone_hinders_nothing(running: tuple[ClaimedJob, Picture], ending: str) -> None:
    job, picture = running
    picture.delete()
    assert end(job, ending, now=LATER) == WANTED[ending][0]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_job_beside_it_is_left_alone(running: tuple[ClaimedJob, Picture], ending: str) -> None:
    job, _ = running
    neighbour, _ = queue_for_picture()
    mine = take_one()
    before = row(neighbour)
    end(job, ending, now=LATER)
    assert (row(neighbour), attempt_of(mine).outcome) == (before, None)


def test_a_success_clears_the_error_of_an_earlier_attempt(running: tuple[ClaimedJob, Picture]) -> None:
    job, _ = running
    end(job, "retried")
    second = take_one(now=LATER)
    assert row(second)["error_message"] == BROKEN.message
    transitions.succeed(second, now=LATER)
    assert (row(second)["error_message"], row(second)["result"]) == ("", None)
    assert attempt_of(job, epoch=1).error_message == BROKEN.message


def test_the_handlers_own_finish_stands_with_the_success(running: tuple[ClaimedJob, Picture]) -> None:
    job, picture = running
    written: list[int] = []

    def write() -> None:
        written.append(Picture.objects.filter(pk=picture.pk).update(writes=100))

    transitions.finish(job, ENDINGS["succeeded"](), domain=write, now=LATER)
    assert written == [1]
    picture.refresh_from_db()
    assert (picture.status, picture.writes) == ("succeeded", 101)


def test_the_handlers_own_finish_that_raises_undoes_the_success(running: tuple[ClaimedJob, Picture]) -> None:
    job, picture = running

    def write_and_raise() -> None:
        Picture.objects.filter(pk=picture.pk).update(writes=100)
        raise ZeroDivisionError("by zero")

    with pytest.raises(transitions.DomainFailed) as caught:
        transitions.finish(job, ENDINGS["succeeded"](), domain=write_and_raise, now=LATER)
    assert isinstance(caught.value.error, ZeroDivisionError)
    picture.refresh_from_db()
    assert (row(job)["status"], attempt_of(job).outcome, picture.writes) == ("running", None, 2)


@pytest.mark.parametrize("ending", sorted(set(ENDINGS) - {"succeeded"}))
def test_the_handlers_own_finish_runs_for_no_other_ending(running: tuple[ClaimedJob, Picture], ending: str) -> None:
    job, _ = running
    ran: list[bool] = []
    transitions.finish(job, ENDINGS[ending](), domain=lambda: ran.append(True), now=LATER)
    assert ran == []


def test_a_deleted_job_cannot_end(running: tuple[ClaimedJob, Picture]) -> None:
    job, _ = running
    Job.objects.filter(pk=job.id).delete()
    with pytest.raises(transitions.LeaseLost):
        end(job, "succeeded")
