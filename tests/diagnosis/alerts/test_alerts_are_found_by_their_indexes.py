"""What every delivery and every minute asks for is looked up, however many alerts there were in the past."""

from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet

from diagnosis.models import Alert, Incident
from oncall.models import User
from tests.diagnosis.alerts.deliveries import NOW, alert, deliver

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif("postgres" in connection.vendor, reason="PostgreSQL reads a small table whole."),
]


def plan(rows: QuerySet[Any]) -> str:
    return rows.explain()


def test_each_question_has_its_index(alice: User) -> None:
    deliver(alice, alert())
    of_owner = Alert.objects.filter(owner_user=alice)
    questions = {
        "alert_once": of_owner.filter(source="alertmanager", fingerprint__in=["a", "b"]).order_by(),
        "alert_by_group": of_owner.filter(group_key="g").order_by(),
        "alert_by_state": Alert.objects.filter(state="firing", last_seen_at__lt=NOW).order_by(),
        "alert_by_incident": Alert.objects.filter(incident_id="i").order_by(),
        "alert_by_owner": of_owner,
        "incident_by_group": Incident.objects.filter(owner_user=alice, group_key="g").order_by("-opened_at"),
        "incident_by_owner": Incident.objects.filter(owner_user=alice),
    }
    for index, rows in questions.items():
        found = plan(rows)
        # The unique constraint's index has a name of SQLite's own.
        assert index in found or (index == "alert_once" and "fingerprint=?" in found), (index, found)
        assert "SCAN" not in found, found
