"""Each call under ``/aiops/diagnostics`` once, as a program meets it."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from diagnosis.models import Alert, DataSource, Diagnosis, Rule
from documents.bases import default_base
from jobs.models import Job
from oncall.models import Team, User
from tests.diagnosis.factories import make_alert, make_diagnosis

pytestmark = pytest.mark.django_db
FIELDS = {
    "id", "ownerUserId", "query", "incidentId", "alertId", "startsAt", "endsAt", "knowledgeBaseIds", "dataSourceIds",
    "status", "stage", "verdict", "jobId", "jobStatus", "retryOfDiagnosisId", "errorMessage", "createdAt", "updatedAt",
    "startedAt", "completedAt",
}  # fmt: skip


def begin(client: Client, **body: Any) -> dict[str, Any]:
    answer = client.post("/aiops/diagnostics", body, content_type="application/json")
    assert answer.status_code == 202, answer.content
    found: dict[str, Any] = answer.json()
    return found


def seconds(row: dict[str, Any]) -> float:
    start, end = (datetime.fromisoformat(row[name]) for name in ("startsAt", "endsAt"))
    return (end - start).total_seconds()


def test_a_question_begins_a_diagnosis_of_the_last_hour(client: Client, alice: User) -> None:
    found = begin(client, query="  Why is checkout slow? ")
    row, job = found["diagnosis"], found["backgroundJob"]
    assert set(row) == FIELDS
    assert (row["status"], row["query"], row["ownerUserId"]) == ("pending", "Why is checkout slow?", alice.pk)
    assert (row["jobId"], row["jobStatus"]) == (job["id"], "queued")
    assert (job["kind"], job["resourceType"], job["resourceId"]) == ("aiops_diagnosis", "aiops_diagnostic", row["id"])
    assert seconds(row) == 3600
    assert row["startsAt"].endswith("Z") and Diagnosis.objects.get().pk == row["id"]


def test_an_alert_begins_one_around_itself(client: Client, alice: User) -> None:
    alert = make_alert(alice)
    row = begin(client, alertId=alert.pk)["diagnosis"]
    assert (row["alertId"], row["incidentId"], row["query"]) == (alert.pk, alert.incident_id, "")
    assert (row["startsAt"], row["endsAt"]) == ("2026-03-01T09:02:00Z", "2026-03-01T10:17:00Z")


def test_an_alert_whose_clock_is_ahead_is_about_the_last_hour(client: Client, alice: User) -> None:
    alert = make_alert(alice, starts_at=timezone.now() + timedelta(hours=2))
    assert seconds(begin(client, alertId=alert.pk)["diagnosis"]) == 3600


def test_an_alert_in_the_body_is_filed_with_its_incident(client: Client, alice: User) -> None:
    labels = {"alertname": "CheckoutSlow", "service": "checkout", "token": "password=hunter22"}
    alert = {"labels": labels, "startsAt": "2026-03-01T10:02:00Z", "generatorURL": "javascript:alert(1)"}
    row = begin(client, alert=alert)["diagnosis"]
    stored = Alert.objects.get()
    assert (row["alertId"], row["incidentId"]) == (stored.pk, stored.incident_id)
    assert (stored.source, stored.name, stored.service, stored.generator_url) == ("api", "CheckoutSlow", "checkout", "")
    assert "hunter22" not in str(stored.labels) and stored.owner_user_id == alice.pk


def test_the_window_and_the_ids_that_were_given_are_kept(client: Client, alice: User, team: Team) -> None:
    base = default_base(team.pk).pk
    source = DataSource.objects.create(owner_user=alice, name="prom", kind="prometheus", url="http://p.example")
    window = {"startsAt": "2026-03-01T09:00:00Z", "endsAt": "2026-03-01T09:30:00Z"}
    row = begin(client, query="Why?", knowledgeBaseIds=[base, base], dataSourceIds=[source.pk], **window)["diagnosis"]
    assert {name: row[name] for name in window} == window
    assert (row["knowledgeBaseIds"], row["dataSourceIds"]) == ([base], [source.pk])


def test_an_end_in_the_future_is_now(client: Client) -> None:
    row = begin(client, query="Why?", endsAt=(timezone.now() + timedelta(hours=3)).isoformat())["diagnosis"]
    assert datetime.fromisoformat(row["endsAt"]) <= timezone.now()


def test_an_incident_has_one_diagnosis_at_a_time(client: Client, alice: User) -> None:
    alert = make_alert(alice)
    first = begin(client, alertId=alert.pk)["diagnosis"]["id"]
    answer = client.post("/aiops/diagnostics", {"alertId": alert.pk}, content_type="application/json")
    assert answer.status_code == 409 and first in answer.json()["errors"][0]["detail"]
    assert Job.objects.count() == 1


def test_detail_with_the_jobs_status_also_after_the_job_was_pruned(client: Client, diagnosis: Diagnosis) -> None:
    path = f"/aiops/diagnostics/{diagnosis.pk}"
    row = client.get(path).json()
    assert set(row) == FIELDS
    assert (row["status"], row["verdict"], row["jobStatus"]) == ("succeeded", "likely", "succeeded")
    Job.objects.all().delete()
    row = client.get(path).json()
    assert (row["jobId"], row["jobStatus"]) == (diagnosis.job_id, None)


def test_a_list_is_narrowed_by_its_filters(client: Client, alice: User, team: Team) -> None:
    alert = make_alert(team)
    done, failed = make_diagnosis(team, alert=alert), make_diagnosis(alice, status="failed")
    other = make_diagnosis(alice, status="running")

    def ids(**query: str) -> list[str]:
        return [row["id"] for row in client.get("/aiops/diagnostics", query).json()["results"]]

    assert ids() == [other.pk, failed.pk, done.pk]
    assert ids(status="failed") == [failed.pk] and ids(verdict="likely") == [done.pk]
    assert ids(incidentId=alert.incident_id) == [done.pk] and ids(incidentId="inc_none") == []
    assert ids(createdAfter=failed.created_at.isoformat()) == [other.pk]
    assert ids(createdBefore=failed.created_at.isoformat()) == [done.pk]
    for query in ({"status": "odd"}, {"verdict": "sure"}, {"createdAfter": "x"}, {"colour": "red"}, {"cursor": "x"}):
        answer = client.get("/aiops/diagnostics", query)
        assert (answer.status_code, answer.json()["errors"][0]["attr"]) == (400, next(iter(query)))


def test_a_list_costs_the_same_for_one_row_and_for_many(
    client: Client, team: Team, django_assert_max_num_queries: Any
) -> None:
    for _ in range(12):
        make_diagnosis(team, status="pending")
    with django_assert_max_num_queries(6):
        assert len(client.get("/aiops/diagnostics").json()["results"]) == 12


def test_an_alert_in_the_body_for_which_a_rule_begins_one_is_told_of_that_one(client: Client, alice: User) -> None:
    Rule.objects.create(owner_user=alice, name="pages", matchers={"severity": "page"})
    alert = {"labels": {"alertname": "Slow", "severity": "page"}, "startsAt": timezone.now().isoformat()}
    answer = client.post("/aiops/diagnostics", {"query": "Why?", "alert": alert}, content_type="application/json")
    begun = Diagnosis.objects.get()
    assert answer.status_code == 409 and begun.pk in answer.json()["errors"][0]["detail"]
    assert begun.status == "pending" and Alert.objects.get().pk == begun.alert_id
