"""What cannot be diagnosed is a 400 that names its field, and leaves no row."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from diagnosis.models import Alert, DataSource, Diagnosis, Incident
from jobs.models import Job
from oncall.models import User
from tests.diagnosis.factories import make_alert, make_incident

pytestmark = pytest.mark.django_db
AT = "2026-03-01T10:00:00Z"
ALERT = {"labels": {"alertname": "CheckoutSlow", "service": "checkout"}, "startsAt": AT}


def refused(client: Client, body: Any, attr: str | None) -> str:
    answer = client.post("/aiops/diagnostics", body, content_type="application/json")
    assert answer.status_code == 400, answer.content
    error = answer.json()["errors"][0]
    assert (error["code"], error["attr"]) == ("VALIDATION_INVALID_ARGUMENT", attr)
    assert not Diagnosis.objects.exists() and not Job.objects.exists()
    return str(error["detail"])


@pytest.mark.parametrize("query", ["", "   ", "\n\t", None])
def test_a_blank_question(client: Client, query: str | None) -> None:
    refused(client, {"query": query}, "query")


@pytest.mark.parametrize("body", [{}, {"startsAt": AT}, {"knowledgeBaseIds": []}])
def test_no_question_at_all(client: Client, body: Any) -> None:
    assert "blank" in refused(client, body, "query")


@pytest.mark.parametrize("body", [[], '"Why?"', 1, [{"query": "Why?"}]])
def test_no_object(client: Client, body: Any) -> None:
    refused(client, body, "nonFieldErrors")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("query", "x" * 4_001),
        ("query", "a\x00b"),
        ("query", {"a": 1}),
        ("alertId", 5),
        ("alertId", ["a"]),
        ("ownerUserId", "me"),
        ("startsAt", "yesterday"),
        ("endsAt", "9999-99-99"),
        ("startsAt", "2999-01-01T00:00:00Z"),
        ("knowledgeBaseIds", "kb_1"),
        ("dataSourceIds", [f"src_{n}" for n in range(101)]),
    ],
)
def test_each_field(client: Client, field: str, value: Any) -> None:
    refused(client, {"query": "Why?", field: value}, field)


def test_an_id_in_a_list_that_is_no_text(client: Client) -> None:
    refused(client, {"query": "Why?", "knowledgeBaseIds": [1]}, "knowledgeBaseIds.0")


@pytest.mark.parametrize(
    ("window", "attr"),
    [
        ({"startsAt": AT, "endsAt": AT}, "endsAt"),
        ({"startsAt": AT, "endsAt": "2026-03-01T09:59:59Z"}, "endsAt"),
        ({"startsAt": AT, "endsAt": "2026-03-08T10:00:01Z"}, "endsAt"),
    ],
)
def test_a_window_that_does_not_go_forward_or_is_too_long(client: Client, window: Any, attr: str) -> None:
    refused(client, {"query": "Why?", **window}, attr)


def test_half_a_window_that_does_not_fit_the_alert(client: Client, alice: User) -> None:
    alert = make_alert(alice)
    refused(client, {"alertId": alert.pk, "endsAt": "2026-02-01T00:00:00Z"}, "endsAt")
    later = (timezone.now() - timedelta(minutes=1)).isoformat()
    refused(client, {"alertId": alert.pk, "startsAt": later}, "startsAt")


def test_two_alerts_at_once(client: Client, alice: User) -> None:
    refused(client, {"alertId": make_alert(alice).pk, "alert": ALERT}, "alert")


@pytest.mark.parametrize(
    ("alert", "attr"),
    [
        ("CheckoutSlow", "alert"),
        ([ALERT], "alert"),
        ({}, "alert.startsAt"),
        ({**ALERT, "startsAt": "noon"}, "alert.startsAt"),
        ({**ALERT, "startsAt": "2999-01-01T00:00:00Z"}, "alert.startsAt"),
        ({**ALERT, "labels": {}}, "alert.labels"),
        ({**ALERT, "labels": {"a": 1}}, "alert.labels"),
        ({**ALERT, "labels": {f"l{n}": "x" for n in range(101)}}, "alert.labels"),
        ({**ALERT, "labels": {"alertname": "Watchdog"}}, "alert.labels"),
        ({**ALERT, "annotations": ["a"]}, "alert.annotations"),
        ({**ALERT, "fingerprint": "x" * 65}, "alert.fingerprint"),
        ({**ALERT, "status": "odd"}, "alert.status"),
    ],
)
def test_an_alert_in_the_body_is_validated(client: Client, alert: Any, attr: str) -> None:
    refused(client, {"query": "Why?", "alert": alert}, attr)
    assert not Alert.objects.exists() and not Incident.objects.exists()


def test_a_source_that_is_off_or_a_recording_of_another_incident(client: Client, alice: User) -> None:
    off = DataSource.objects.create(owner_user=alice, name="a", kind="prometheus", url="http://p", enabled=False)
    assert off.pk in refused(client, {"query": "Why?", "dataSourceIds": [off.pk]}, "dataSourceIds")
    recorded = DataSource.objects.create(owner_user=alice, name="b", kind="recorded", incident=make_incident(alice))
    assert recorded.pk in refused(client, {"query": "Why?", "dataSourceIds": [recorded.pk]}, "dataSourceIds")
