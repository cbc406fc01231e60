"""Transition 11: a failed or cancelled job gets one successor, and stays exactly as it is."""

from datetime import timedelta

import pytest

from jobs.enqueue import ActiveJobExists, UnknownKind, retry_by_hand
from jobs.models import Job
from jobs.resources import NotRetryable
from oncall.models import User
from tests.domain.models import Picture
from tests.jobs.album import Album
from tests.jobs.factories import make_job
from tests.jobs.steps import KIND, NOON, end, everything, queue, queue_for_picture, row, take_one

pytestmark = pytest.mark.django_db
LATER = NOON + timedelta(minutes=5)
LIMITS = ("priority", "max_attempts", "timeout_seconds")
COPIED = ("owner_user_id", "kind", "resource_type", "resource_id", "payload", *LIMITS)
FRESH = {
    "status": "queued", "attempt": 0, "epoch": 0, "event_seq": 0, "available_at": LATER, "created_at": LATER,
    "updated_at": LATER, "started_at": None, "completed_at": None, "cancel_requested_at": None, "error_message": "",
    "progress": 0, "progress_message": "", "result": None, "lease_owner": None, "lease_expires_at": None, "fair_tag": 0,
}  # fmt: skip


def failed_job(alice: User, *, ending: str = "failed") -> Job:
    job, _ = queue_for_picture(owner=alice, payload={"width": 80}, priority=4, max_attempts=7, timeout_seconds=8.5)
    end(take_one(), ending)
    return Job.objects.get(pk=job.pk)


@pytest.mark.parametrize("ending", ["failed", "cancelled"])
def test_what_is_copied_and_what_is_fresh(album: Album, alice: User, ending: str) -> None:
    source = failed_job(alice, ending=ending)
    before = everything(source)
    successor = retry_by_hand(source.pk, now=LATER)
    assert successor.created
    new = row(successor)
    assert {name: new[name] for name in COPIED} == {name: before[0][name] for name in COPIED}
    assert {name: new[name] for name in FRESH} == FRESH
    assert (new["retry_of_job_id"], new["id"] != source.pk) == (source.pk, True)
    assert everything(source) == before


def test_its_domain_is_told_of_a_new_job(album: Album, alice: User) -> None:
    source = failed_job(alice)
    album.forget()
    successor = retry_by_hand(source.pk, now=LATER)
    change = album.last
    assert (change.job_id, change.from_status, change.to_status) == (successor.pk, None, "queued")


@pytest.mark.parametrize("status", ["queued", "running", "succeeded"])
def test_other_statuses_are_refused(album: Album, alice: User, status: str) -> None:
    job = make_job(status=status, owner=alice, kind=KIND)
    before = everything(job)
    with pytest.raises(NotRetryable, match=f"this one is {status}") as caught:
        retry_by_hand(job.pk, now=LATER)
    assert caught.value.successor_id is None
    assert (everything(job), Job.objects.count()) == (before, 1)


def test_further_clicks_name_the_successor(kinds: None, alice: User) -> None:
    source = make_job(status="failed", owner=alice, kind=KIND)
    successor = retry_by_hand(source.pk, now=LATER)
    for _ in range(2):
        with pytest.raises(NotRetryable) as caught:
            retry_by_hand(source.pk, now=LATER)
        assert caught.value.successor_id == successor.pk
    assert Job.objects.count() == 2


def test_the_first_successor_stays_the_only_one_after_it_failed_too(kinds: None, alice: User) -> None:
    source = make_job(status="failed", owner=alice, kind=KIND)
    successor = retry_by_hand(source.pk, now=NOON)
    end(take_one(), "failed")
    with pytest.raises(NotRetryable) as caught:
        retry_by_hand(source.pk, now=LATER)
    assert caught.value.successor_id == successor.pk
    third = retry_by_hand(successor.pk, now=LATER)
    assert third.retry_of_job_id == successor.pk


def test_a_newer_job_of_the_resource_is_in_the_way(album: Album, alice: User) -> None:
    source = failed_job(alice)
    newer = queue(owner=alice, resource=(source.resource_type, source.resource_id))
    with pytest.raises(ActiveJobExists) as caught:
        retry_by_hand(source.pk, now=LATER)
    assert caught.value.job.pk == newer.pk
    assert not Job.objects.filter(retry_of_job_id=source.pk).exists()


def test_another_owners_job_is_not(album: Album, alice: User, bob: User, charlie: User) -> None:
    source = failed_job(alice)
    for owner in (bob, charlie, None):
        queue(owner=owner, resource=(source.resource_type, source.resource_id))
    assert retry_by_hand(source.pk, now=LATER).owner_user_id == alice.pk


def test_the_domain_may_name_another_row(album: Album, alice: User) -> None:
    source = failed_job(alice)
    album.prepare_retry = lambda resource_id: str(Picture.objects.create().pk)  # type: ignore[method-assign]
    successor = retry_by_hand(source.pk, now=LATER)
    assert successor.resource_id != source.resource_id
    assert Picture.objects.get(pk=successor.resource_id).status == "queued"
    assert Picture.objects.get(pk=source.resource_id).status == "failed"


def test_the_domain_may_refuse_and_what_it_wrote_is_undone(album: Album, alice: User) -> None:
    source = failed_job(alice)

    def write_and_refuse(resource_id: str) -> str:
        Picture.objects.create()
        raise NotRetryable("The picture is gone.")

    album.prepare_retry = write_and_refuse  # type: ignore[method-assign]
    pictures = Picture.objects.count()
    with pytest.raises(NotRetryable, match="The picture is gone"):
        retry_by_hand(source.pk, now=LATER)
    assert (Picture.objects.count(), Job.objects.count()) == (pictures, 1)


def test_what_the_domain_wrote_is_undone_too_when_a_job_is_in_the_way(album: Album, alice: User) -> None:
    source = failed_job(alice)
    queue(owner=alice, resource=(source.resource_type, source.resource_id))

    def write(resource_id: str) -> str:
        Picture.objects.create()
        return resource_id

    album.prepare_retry = write  # type: ignore[method-assign]
    pictures = Picture.objects.count()
    with pytest.raises(ActiveJobExists):
        retry_by_hand(source.pk, now=LATER)
    assert Picture.objects.count() == pictures


def test_a_resource_type_that_nobody_registered_keeps_its_resource(kinds: None, alice: User) -> None:
    source = make_job(status="failed", owner=alice, kind=KIND, resource=("film", "9"))
    successor = retry_by_hand(source.pk, now=LATER)
    assert (successor.resource_type, successor.resource_id) == ("film", "9")


def test_a_kind_that_is_gone_is_not_queued_again(alice: User) -> None:
    source = make_job(status="failed", owner=alice, kind="gone_since_the_upgrade")
    with pytest.raises(UnknownKind):
        retry_by_hand(source.pk, now=LATER)
    assert Job.objects.count() == 1


def test_a_job_that_does_not_exist() -> None:
    with pytest.raises(Job.DoesNotExist):
        retry_by_hand("job_unknown", now=LATER)
