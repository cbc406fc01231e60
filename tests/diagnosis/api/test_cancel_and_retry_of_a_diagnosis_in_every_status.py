"""Cancel answers 200 in every status and changes no finished diagnosis; a retry is a new one that names its source."""

import pytest
from django.test import Client

from diagnosis.models import Diagnosis, Report
from diagnosis.states import CANCELLED, DIAGNOSIS_STATUSES, FAILED, PENDING, RUNNING, SUCCEEDED
from jobs.models import Job
from oncall.models import User
from tests.diagnosis.factories import job_of, make_alert, make_diagnosis

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("status", DIAGNOSIS_STATUSES)
def test_cancel(client: Client, alice: User, status: str) -> None:
    diagnosis = make_diagnosis(alice, status=status)
    before = Diagnosis.objects.values().get(pk=diagnosis.pk)
    answer = client.post(f"/aiops/diagnostics/{diagnosis.pk}:cancel")
    body = answer.json()
    assert answer.status_code == 200 and body["backgroundJob"]["id"] == diagnosis.job_id
    assert body["diagnosis"]["status"] == {PENDING: CANCELLED}.get(status, status)
    assert (job_of(diagnosis).cancel_requested_at is not None) is (status in (PENDING, RUNNING, CANCELLED))
    if status not in (PENDING, RUNNING):
        assert Diagnosis.objects.values().get(pk=diagnosis.pk) == before


def test_cancel_of_one_whose_job_was_pruned(client: Client, diagnosis: Diagnosis) -> None:
    Job.objects.all().delete()
    answer = client.post(f"/aiops/diagnostics/{diagnosis.pk}:cancel")
    assert answer.status_code == 200 and answer.json()["backgroundJob"] is None
    assert answer.json()["diagnosis"]["status"] == SUCCEEDED


@pytest.mark.parametrize("status", [FAILED, CANCELLED])
def test_retry(client: Client, alice: User, status: str) -> None:
    diagnosis = make_diagnosis(alice, status=status, alert=make_alert(alice))
    before = Diagnosis.objects.values().get(pk=diagnosis.pk)
    answer = client.post(f"/aiops/diagnostics/{diagnosis.pk}:retry")
    assert answer.status_code == 202, answer.content
    row, job = answer.json()["diagnosis"], answer.json()["backgroundJob"]
    assert row["id"] != diagnosis.pk and row["retryOfDiagnosisId"] == diagnosis.pk
    assert (row["status"], row["query"], row["alertId"]) == ("pending", diagnosis.query, diagnosis.alert_id)
    assert (job["id"], job["retryOfJobId"]) == (row["jobId"], diagnosis.job_id)
    assert Diagnosis.objects.values().get(pk=diagnosis.pk) == before
    again = client.post(f"/aiops/diagnostics/{diagnosis.pk}:retry")
    assert again.status_code == 409 and Diagnosis.objects.count() == 2


@pytest.mark.parametrize("status", [PENDING, RUNNING, SUCCEEDED])
def test_what_is_not_failed_or_cancelled_is_not_retried(client: Client, alice: User, status: str) -> None:
    diagnosis = make_diagnosis(alice, status=status)
    answer = client.post(f"/aiops/diagnostics/{diagnosis.pk}:retry")
    assert answer.status_code == 409 and answer.json()["errors"][0]["code"] == "CONFLICT"
    assert Diagnosis.objects.count() == 1 and Report.objects.count() == (status == SUCCEEDED)


def test_while_the_incident_is_being_diagnosed(client: Client, alice: User) -> None:
    alert = make_alert(alice)
    failed = make_diagnosis(alice, status=FAILED, alert=alert)
    running = make_diagnosis(alice, status=RUNNING, alert=alert)
    answer = client.post(f"/aiops/diagnostics/{failed.pk}:retry")
    assert answer.status_code == 409 and running.pk in answer.json()["errors"][0]["detail"]


def test_one_whose_job_was_pruned(client: Client, alice: User) -> None:
    diagnosis = make_diagnosis(alice, status=FAILED)
    Job.objects.all().delete()
    answer = client.post(f"/aiops/diagnostics/{diagnosis.pk}:retry")
    assert answer.status_code == 409 and "gone" in answer.json()["errors"][0]["detail"]
