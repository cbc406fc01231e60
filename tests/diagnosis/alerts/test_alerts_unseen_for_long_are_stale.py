"""A firing alert that was not delivered for twice the repeat interval is stale: neither firing for sure nor over."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from diagnosis.alerts import take_in
from diagnosis.delivered import read_alert
from diagnosis.incidents import mark_stale
from diagnosis.models import Alert, Incident
from diagnosis.states import FIRING, OPEN, RESOLVED, STALE
from diagnosis.webhook import Delivery
from oncall.models import User
from tests.diagnosis.alerts.deliveries import NOW, alert, body, deliver
from tests.factories import make_token

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=8, seconds=1)


def test_after_twice_the_interval_and_not_before(alice: User, bob: User) -> None:
    deliver(alice, alert("A"))
    deliver(bob, alert("B"), now=NOW + timedelta(hours=1))
    assert mark_stale(NOW + timedelta(hours=8)) == 0
    assert mark_stale(LATER) == 1
    assert mark_stale(LATER) == 0
    assert {row.name: row.state for row in Alert.objects.all()} == {"A": STALE, "B": FIRING}
    assert mark_stale(NOW + timedelta(hours=2), repeat_interval=timedelta(minutes=20)) == 1


def test_silence_is_no_all_clear(alice: User) -> None:
    deliver(alice, alert())
    mark_stale(LATER)
    assert Incident.objects.get().state == OPEN


def test_one_that_is_delivered_again_fires_in_its_incident(alice: User) -> None:
    deliver(alice, alert())
    mark_stale(LATER)
    deliver(alice, alert(), now=LATER)
    assert Alert.objects.get().state == FIRING and Incident.objects.count() == 1


def test_one_that_is_over_ends_its_incident(alice: User) -> None:
    deliver(alice, alert())
    mark_stale(LATER)
    deliver(alice, alert(end=20), now=LATER)
    assert Alert.objects.get().state == RESOLVED and Incident.objects.get().state == RESOLVED


def test_a_stale_incident_takes_nothing_new_in(alice: User) -> None:
    deliver(alice, alert("A"))
    mark_stale(LATER)
    deliver(alice, alert("B", start=400), now=LATER)
    old, new = Incident.objects.order_by("opened_at")
    assert (old.state, new.state, new.recurrence_of) == (RESOLVED, OPEN, old)
    deliver(alice, alert("A"), now=LATER)
    row = Alert.objects.get(name="A")
    assert row.state == FIRING and row.incident == new, "it fires after all: where the group is at home now"


def pull(owner: User, *alerts: dict[str, Any]) -> None:
    """What a look at Alertmanager's list of active alerts finds."""
    seen = [read_alert(one, now=LATER, seen_at=LATER) for one in alerts]
    take_in(Delivery(received=len(seen), alerts=seen), owner_id=owner.pk, by_webhook=False, now=LATER)


def test_a_pull_that_sees_it_firing_reopens_what_a_webhook_may_not(alice: User) -> None:
    deliver(alice, alert())
    deliver(alice, alert(end=5))
    deliver(alice, alert(), now=LATER)
    assert Alert.objects.get().state == RESOLVED
    pull(alice, alert())
    row = Alert.objects.get()
    assert row.state == FIRING and row.ends_at is None
    old, new = Incident.objects.order_by("created_at")
    assert (old.state, new.state, row.incident, new.recurrence_of) == (RESOLVED, OPEN, new, old)


def test_a_pull_of_what_is_known_adds_no_webhook(alice: User) -> None:
    deliver(alice, alert())
    pull(alice, alert(), alert("New", start=1))
    assert Incident.objects.count() == 1 and Alert.objects.count() == 2


def test_any_later_webhook_looks_for_what_went_silent(alice: User, as_token: Callable[[str], Client]) -> None:
    deliver(alice, alert("A"))  # In March; nobody has heard of it since.
    _, token = make_token(alice, scope="alerts:write")
    sent = body(alert("B", startsAt=timezone.now().isoformat()))
    answer = as_token(token).post("/aiops/alerts/alertmanager", sent, content_type="application/json")
    assert answer.status_code == 200
    assert {row.name: row.state for row in Alert.objects.all()} == {"A": STALE, "B": FIRING}
