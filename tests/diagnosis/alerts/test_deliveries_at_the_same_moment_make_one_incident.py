"""Eight deliveries at once: one incident, one row for each alert, one diagnosis."""

from functools import partial

import pytest

from diagnosis.models import Alert, Diagnosis, Incident
from oncall.models import User
from tests.diagnosis.alerts.deliveries import alert, deliver
from tests.jobs.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)
PAGE = {"severity": "page"}


def test_of_one_alert(alice: User, pages_rule: None) -> None:
    taken = at_once([partial(deliver, alice, alert(labels=PAGE))] * 8)
    assert sorted(one.created for one in taken) == [0] * 7 + [1]
    row = Alert.objects.get()
    assert row.deliveries == 8 and Incident.objects.count() == 1 and Diagnosis.objects.count() == 1


def test_of_eight_alerts_of_one_group(alice: User, pages_rule: None) -> None:
    at_once([partial(deliver, alice, alert(f"A{n}", start=n / 10, labels=PAGE)) for n in range(8)])
    assert Incident.objects.get().alerts.count() == 8
    assert Diagnosis.objects.count() == 1


def test_of_eight_groups_of_one_service(alice: User, pages_rule: None) -> None:
    at_once([partial(deliver, alice, alert(f"A{n}", labels=PAGE), group=f"group {n}") for n in range(8)])
    assert Incident.objects.get().alerts.count() == 8
    assert Diagnosis.objects.count() == 1
