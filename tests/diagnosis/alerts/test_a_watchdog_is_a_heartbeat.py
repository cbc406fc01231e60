"""Watchdog always fires: it says that the way from Alertmanager to here is open, and is no incident."""

from datetime import timedelta

import pytest

from diagnosis.intake import last_webhook
from diagnosis.models import Alert, Incident
from oncall.models import User
from tests.diagnosis.alerts.deliveries import NOW, alert, deliver

pytestmark = pytest.mark.django_db


def test_it_is_counted_and_opens_nothing(alice: User) -> None:
    taken = deliver(alice, alert("Watchdog"))
    assert (taken.received, taken.heartbeats, taken.created) == (1, 1, 0)
    assert not Alert.objects.exists() and not Incident.objects.exists()


def test_the_last_webhook_and_the_last_heartbeat_are_kept_by_owner(alice: User, bob: User, charlie: User) -> None:
    deliver(alice, alert("Watchdog"), now=NOW)
    deliver(alice, alert(), now=NOW + timedelta(minutes=5))
    deliver(bob, now=NOW)
    seen = last_webhook([alice.pk, bob.pk, charlie.pk])
    assert seen[alice.pk].heartbeat_at == NOW
    assert seen[alice.pk].webhook_at == NOW + timedelta(minutes=5)
    assert seen[bob.pk].webhook_at == NOW and seen[bob.pk].heartbeat_at is None
    assert charlie.pk not in seen
