"""Transition 1: a new job waits, has cost nothing yet, and its domain row has been told in the same transaction."""

from datetime import timedelta

import pytest
from django.db import transaction

from jobs.models import Job, JobAttempt
from oncall.models import User
from tests.domain.models import Picture
from tests.jobs.album import Album
from tests.jobs.steps import KIND, NOON, queue, queue_for_picture, row

pytestmark = pytest.mark.django_db


def test_a_new_job_has_these_values(album: Album, alice: User) -> None:
    job, picture = queue_for_picture(owner=alice, payload={"width": 80})
    assert job.created
    assert row(job) == {
        "id": job.pk,
        "owner_user_id": alice.pk,
        "kind": KIND,
        "resource_type": "picture",
        "resource_id": str(picture.pk),
        "status": "queued",
        "attempt": 0,
        "max_attempts": 3,
        "timeout_seconds": 900,
        "priority": 0,
        "available_at": NOON,
        "cancel_requested_at": None,
        "retry_of_job_id": None,
        "error_message": "",
        "progress": 0,
        "progress_message": "",
        "result": None,
        "created_at": NOON,
        "updated_at": NOON,
        "started_at": None,
        "completed_at": None,
        "payload": {"width": 80},
        "lease_owner": None,
        "lease_expires_at": None,
        "epoch": 0,
        "event_seq": 0,
        "fair_tag": 0,
    }
    assert not JobAttempt.objects.exists()


def test_its_domain_is_told(album: Album, alice: User) -> None:
    job, picture = queue_for_picture(owner=alice)
    change = album.last
    assert (change.from_status, change.to_status, change.epoch, change.error) == (None, "queued", 0, "")
    assert (change.job_id, change.owner_user_id) == (job.pk, alice.pk)
    assert (change.resource_type, change.resource_id) == ("picture", str(picture.pk))
    assert album.moments == [NOON]
    picture.refresh_from_db()
    assert picture.status == "queued"


def test_a_job_for_later_is_not_ready(kinds: None) -> None:
    later = NOON + timedelta(seconds=1)
    assert row(queue(available_at=later))["fair_tag"] is None
    assert row(queue(available_at=later))["available_at"] == later
    assert row(queue(available_at=NOON))["fair_tag"] == 0


def test_job_and_domain_row_exist_together_or_not_at_all(album: Album) -> None:
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        queue_for_picture()
        raise ZeroDivisionError
    assert (Job.objects.count(), Picture.objects.count()) == (0, 0)


def test_a_domain_that_refuses_leaves_no_job(album: Album) -> None:
    album.refuse("queued")
    picture = Picture.objects.create()
    with pytest.raises(Exception, match="The album is shut"):
        queue(resource=("picture", str(picture.pk)))
    picture.refresh_from_db()
    assert (Job.objects.count(), picture.writes) == (0, 0)
