"""Transitions 7 and 8: a queued job at once, a running one at its next safe point, a finished one never."""

from datetime import timedelta

import pytest

from jobs import transitions
from jobs.enqueue import cancel_jobs
from jobs.handlers import JobCancelled, JobContext
from jobs.models import Job
from jobs.testing import registered, run_one
from jobs.transitions import request_cancel
from oncall.models import User
from tests.domain.models import Picture
from tests.jobs.album import Album
from tests.jobs.factories import make_job
from tests.jobs.steps import ENDINGS, NOON, changed, end, everything, outcomes, queue, queue_for_picture, row, take_one

pytestmark = pytest.mark.django_db
LATER = NOON + timedelta(seconds=5)
EVEN_LATER = NOON + timedelta(seconds=10)


def test_a_queued_job_is_cancelled_at_once(album: Album, alice: User) -> None:
    job, picture = queue_for_picture(owner=alice)
    before = row(job)
    album.forget()
    assert request_cancel(job.pk, now=LATER).status == "cancelled"
    after = row(job)
    wanted = {"status": "cancelled", "completed_at": LATER, "cancel_requested_at": LATER, "updated_at": LATER}
    assert {name: after[name] for name in changed(before, after)} == {**wanted, "fair_tag": None}
    change = album.last
    assert (change.from_status, change.to_status, change.epoch) == ("queued", "cancelled", 0)
    picture.refresh_from_db()
    assert picture.status == "cancelled"


def test_a_delayed_job_too(kinds: None) -> None:
    job = queue(available_at=EVEN_LATER)
    assert request_cancel(job.pk, now=LATER).status == "cancelled"


def test_a_running_job_is_asked_once(album: Album) -> None:
    job, _ = queue_for_picture()
    take_one()
    before = row(job)
    album.forget()
    assert request_cancel(job.pk, now=LATER).status == "running"
    after = row(job)
    assert {name: after[name] for name in changed(before, after)} == {"cancel_requested_at": LATER, "updated_at": LATER}
    request_cancel(job.pk, now=EVEN_LATER)
    assert (row(job), album.told) == (after, [])


@pytest.mark.parametrize("status", ["succeeded", "failed", "cancelled"])
def test_a_finished_job_stays_as_it_is_to_the_byte(album: Album, alice: User, status: str) -> None:
    job = make_job(status=status, owner=alice, resource=("picture", "1"), events=2)
    before = everything(job)
    assert request_cancel(job.pk, now=LATER).status == status
    assert (everything(job), album.told) == (before, [])


def test_a_job_that_does_not_exist() -> None:
    with pytest.raises(Job.DoesNotExist):
        request_cancel("job_unknown", now=LATER)


# What comes of each ending once a cancel was asked for: the job's status, the attempt's outcome.
AFTER_A_REQUEST = {
    "succeeded": ("cancelled", "cancelled"),
    "failed": ("failed", "failed"),
    "retried": ("failed", "failed"),
    "timed_out": ("failed", "timed_out"),
    "cancelled": ("cancelled", "cancelled"),
    "released": ("cancelled", "cancelled"),
    "snoozed": ("cancelled", "cancelled"),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_nothing_runs_again_after_a_request(album: Album, ending: str) -> None:
    job, picture = queue_for_picture()
    claimed = take_one()
    request_cancel(job.pk, now=LATER)
    status, outcome = AFTER_A_REQUEST[ending]
    assert end(claimed, ending, now=EVEN_LATER) == status
    after = row(job)
    assert (after["status"], after["completed_at"], after["cancel_requested_at"]) == (status, EVEN_LATER, LATER)
    assert (after["result"], after["lease_owner"], after["attempt"]) == (None, None, 1)
    assert outcomes(job) == [outcome]
    assert album.last.to_status == status
    picture.refresh_from_db()
    assert picture.status == status


def test_a_success_after_a_request_runs_nothing_of_its_finish(album: Album) -> None:
    job, picture = queue_for_picture()
    claimed = take_one()
    request_cancel(job.pk, now=LATER)
    write = Picture.objects.filter(pk=picture.pk).update
    ran: list[int] = []
    transitions.finish(claimed, ENDINGS["succeeded"](), domain=lambda: ran.append(write(writes=100)), now=EVEN_LATER)
    picture.refresh_from_db()
    assert (ran, picture.writes, row(job)["status"]) == ([], 3, "cancelled")


def test_a_request_after_the_success_changes_nothing(album: Album) -> None:
    job, _ = queue_for_picture()
    end(take_one(), "succeeded")
    before = everything(job)
    request_cancel(job.pk, now=LATER)
    assert everything(job) == before


def test_a_handler_that_looks_is_stopped_and_one_that_meets_its_resource_gone_says_so(kinds: None) -> None:
    with registered("looking") as handler:
        handler(lambda context: context.raise_if_cancelled())
        job = queue("looking")
        claimed = take_one()
        request_cancel(job.pk, now=LATER)
        assert run_one(claimed, now=LATER) == "cancelled"


def test_a_handler_may_end_cancelled_without_a_request(kinds: None) -> None:
    def gone(context: JobContext) -> None:
        raise JobCancelled("the picture is gone")

    with registered("gone") as handler:
        handler(gone)
        job = queue("gone")
        assert run_one(take_one(), now=LATER) == "cancelled"
    assert (row(job)["cancel_requested_at"], outcomes(job)) == (None, ["cancelled"])


def test_a_request_that_its_domain_refuses_changes_nothing(album: Album) -> None:
    job, _ = queue_for_picture()
    before = everything(job)
    album.refuse("cancelled")
    with pytest.raises(Exception, match="The album is shut"):
        request_cancel(job.pk, now=LATER)
    assert everything(job) == before


def test_all_jobs_of_some_resources(album: Album, alice: User, bob: User) -> None:
    running = queue(owner=alice, resource=("picture", "2"))
    take_one()
    mine = queue(owner=alice, resource=("picture", "1"))
    theirs = queue(owner=bob, resource=("picture", "1"))
    other = queue(owner=bob, resource=("picture", "3"))
    finished = make_job(status="failed", owner=alice, resource=("picture", "1"))
    before = everything(finished), everything(other)
    cancel_jobs("picture", ["1", "2"], now=LATER)
    assert [row(job)["status"] for job in (mine, theirs, running)] == ["cancelled", "cancelled", "running"]
    assert row(running)["cancel_requested_at"] == LATER
    assert (everything(finished), everything(other)) == before
