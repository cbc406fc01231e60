"""Cancel and “Try again” do what the API does; the page offers each only where it does something."""

from collections.abc import Callable

import pytest
from django.test import Client

from diagnosis.models import Diagnosis
from diagnosis.states import CANCELLED, FAILED, PENDING, RUNNING, SUCCEEDED
from jobs.models import Job
from oncall.models import User
from tests.diagnosis.factories import job_of

SignIn = Callable[[User], Client]
Make = Callable[..., Diagnosis]


def test_a_waiting_one_is_cancelled_at_once(as_user: SignIn, bob: User, diagnosed: Make) -> None:
    diagnosis = diagnosed(status=PENDING)
    seen = as_user(bob).post(f"/diagnoses/{diagnosis.pk}/cancel/", follow=True).content.decode()
    assert "cancelled</span>" in seen and "/cancel/" not in seen
    diagnosis.refresh_from_db()
    assert diagnosis.status == CANCELLED


def test_a_running_one_is_asked_to_stop(as_user: SignIn, bob: User, diagnosed: Make) -> None:
    diagnosis = diagnosed(status=RUNNING)
    seen = as_user(bob).post(f"/diagnoses/{diagnosis.pk}/cancel/", follow=True).content.decode()
    assert "stopping" in seen and "/cancel/" not in seen
    assert job_of(diagnosis).cancel_requested_at is not None


def test_cancel_of_a_finished_one_changes_nothing(as_user: SignIn, bob: User, diagnosed: Make) -> None:
    diagnosis = diagnosed(status=SUCCEEDED)
    before = Job.objects.filter(pk=diagnosis.job_id).values().get()
    as_user(bob).post(f"/diagnoses/{diagnosis.pk}/cancel/")
    assert Job.objects.filter(pk=diagnosis.job_id).values().get() == before


@pytest.mark.parametrize("status", [FAILED, CANCELLED])
def test_a_retry_is_a_new_diagnosis_and_both_name_each_other(
    as_user: SignIn, bob: User, diagnosed: Make, status: str
) -> None:
    source = diagnosed(status=status)
    client = as_user(bob)
    assert "/retry/" in client.get(f"/diagnoses/{source.pk}/").content.decode()
    answer = client.post(f"/diagnoses/{source.pk}/retry/")
    again = Diagnosis.objects.get(retry_of_diagnosis_id=source.pk)
    assert answer["Location"] == f"/diagnoses/{again.pk}/"
    assert f"/diagnoses/{source.pk}/" in client.get(f"/diagnoses/{again.pk}/").content.decode()
    old = client.get(f"/diagnoses/{source.pk}/").content.decode()
    assert f"/diagnoses/{again.pk}/" in old and "/retry/" not in old


def test_a_second_retry_leads_to_the_first_one(as_user: SignIn, bob: User, diagnosed: Make) -> None:
    source = diagnosed(status=FAILED)
    client = as_user(bob)
    first = client.post(f"/diagnoses/{source.pk}/retry/")["Location"]
    assert client.post(f"/diagnoses/{source.pk}/retry/")["Location"] == first
    assert Diagnosis.objects.count() == 2


@pytest.mark.parametrize("status", [SUCCEEDED, RUNNING])
def test_what_has_not_failed_is_not_retried(as_user: SignIn, bob: User, diagnosed: Make, status: str) -> None:
    diagnosis = diagnosed(status=status)
    client = as_user(bob)
    assert "/retry/" not in client.get(f"/diagnoses/{diagnosis.pk}/").content.decode()
    answer = client.post(f"/diagnoses/{diagnosis.pk}/retry/", follow=True)
    assert answer.redirect_chain[-1][0] == f"/diagnoses/{diagnosis.pk}/"
    assert "Only a failed or cancelled" in answer.content.decode()
    assert Diagnosis.objects.count() == 1


def test_where_the_job_is_gone_the_page_says_so(as_user: SignIn, bob: User, diagnosed: Make) -> None:
    diagnosis = diagnosed(status=FAILED)
    Job.objects.filter(pk=diagnosis.job_id).delete()
    client = as_user(bob)
    page = client.get(f"/diagnoses/{diagnosis.pk}/").content.decode()
    assert "The worker was lost." in page and "No events are kept" in page
    assert "nothing to cancel" in client.post(f"/diagnoses/{diagnosis.pk}/cancel/", follow=True).content.decode()
    assert "is gone" in client.post(f"/diagnoses/{diagnosis.pk}/retry/", follow=True).content.decode()
