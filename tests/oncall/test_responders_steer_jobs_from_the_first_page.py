"""The first page offers Cancel and Retry to those who may steer a job alone; a second click is harmless."""

from collections.abc import Callable

import pytest
from django.test import Client

from documents.bases import default_base
from documents.models import Document
from jobs.models import Job
from jobs.states import CANCELLED, QUEUED, RUNNING, SUCCEEDED
from jobs.testing import run_until_idle
from oncall.models import Team, User
from tests.documents.factories import add
from tests.jobs.factories import make_job

pytestmark = pytest.mark.django_db
SignIn = Callable[[User], Client]


@pytest.fixture
def job(team: Team) -> Job:
    """A waiting job of the team."""
    job = add(default_base(team.pk)).job
    assert job is not None
    return job


def said(client: Client, path: str) -> str:
    return client.post(path, follow=True).text


def test_a_responder_cancels_and_a_second_click_changes_nothing(as_user: SignIn, bob: User, job: Job) -> None:
    client = as_user(bob)
    assert f"/jobs/{job.pk}/cancel/" in client.get("/").text
    for _ in range(2):
        assert "The job is cancelled." in said(client, f"/jobs/{job.pk}/cancel/")
    assert Job.objects.get(pk=job.pk).status == CANCELLED
    assert f"/jobs/{job.pk}/cancel/" not in client.get("/").text


def test_a_responder_retries_and_a_second_click_makes_no_second_job(as_user: SignIn, bob: User, job: Job) -> None:
    client = as_user(bob)
    client.post(f"/jobs/{job.pk}/cancel/")
    assert f"/jobs/{job.pk}/retry/" in client.get("/").text
    assert "queued again" in said(client, f"/jobs/{job.pk}/retry/")
    again = said(client, f"/jobs/{job.pk}/retry/")
    assert "retried already" in again and f"/jobs/{job.pk}/retry/" not in again
    assert Job.objects.get(retry_of_job_id=job.pk).status == QUEUED
    run_until_idle()
    assert Document.objects.get().status == "indexed"


def test_a_running_job_is_asked_and_a_finished_one_stays(as_user: SignIn, alice: User) -> None:
    running, done = make_job(owner=alice, status=RUNNING), make_job(owner=alice, status=SUCCEEDED)
    client = as_user(alice)
    assert "asked to stop" in said(client, f"/jobs/{running.pk}/cancel/")
    assert "had finished already" in said(client, f"/jobs/{done.pk}/cancel/")
    refused = said(client, f"/jobs/{done.pk}/retry/")
    assert "Only a failed or cancelled job" in refused and f"job {done.pk}" not in refused
    page = client.get("/").text
    assert "/cancel/" not in page and "/retry/" not in page and "stopping" in page


def test_a_reader_and_an_outsider_are_offered_nothing_and_refused(
    as_user: SignIn, rita: User, charlie: User, team: Team, job: Job
) -> None:
    failed = make_job(owner=team, status=CANCELLED)
    for user in (rita, charlie):
        client = as_user(user)
        page = client.get("/").text
        assert "/cancel/" not in page and "/retry/" not in page and "/delete/" not in page
        assert client.post(f"/jobs/{job.pk}/cancel/").status_code == 404
        assert client.post(f"/jobs/{failed.pk}/retry/").status_code == 404
        assert client.post("/jobs/job_of_nobody/retry/").status_code == 404
    assert Job.objects.get(pk=job.pk).status == QUEUED
    assert Job.objects.count() == 2


def test_nothing_is_steered_by_a_link(as_user: SignIn, alice: User, client: Client, job: Job) -> None:
    assert as_user(alice).get(f"/jobs/{job.pk}/cancel/").status_code == 405
    assert client.post(f"/jobs/{job.pk}/cancel/")["Location"].startswith("/accounts/login/")
    assert Job.objects.get(pk=job.pk).status == QUEUED
