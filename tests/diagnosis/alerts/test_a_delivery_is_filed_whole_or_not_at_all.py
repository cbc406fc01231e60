"""Alerts, incident, links and the diagnosis of one delivery stand together; when the last of it fails, nothing does."""

import pytest
from django.db import OperationalError

from diagnosis.models import Alert, AlertIntake, Diagnosis, Incident
from jobs.models import Job
from oncall.models import User
from tests.diagnosis.alerts.deliveries import alert, deliver

pytestmark = pytest.mark.django_db
PAGE = {"severity": "page"}


def test_a_database_that_goes_away_at_the_end(alice: User, pages_rule: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*args: object, **kwargs: object) -> None:
        raise OperationalError("server closed the connection")

    with monkeypatch.context() as patch:
        patch.setattr("diagnosis.transitions.enqueue", away)
        with pytest.raises(OperationalError):
            deliver(alice, alert(labels=PAGE))
    for model in (Alert, Incident, Diagnosis, Job, AlertIntake):
        assert not model.objects.exists(), model
    deliver(alice, alert(labels=PAGE))
    assert Alert.objects.get().incident == Diagnosis.objects.get().incident


def test_an_alert_is_kept_when_its_diagnosis_cannot_begin(
    alice: User, pages_rule: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("diagnosis.transitions.KIND", "not_installed")
    deliver(alice, alert(labels=PAGE))
    assert Alert.objects.get().incident == Incident.objects.get()
    assert not Diagnosis.objects.exists()
    monkeypatch.undo()
    deliver(alice, alert(labels=PAGE))
    assert Diagnosis.objects.count() == 1, "the next delivery makes up for it"
