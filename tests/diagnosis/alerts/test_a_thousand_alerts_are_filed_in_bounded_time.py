"""A thousand alerts in one delivery cost a bounded number of queries, whatever is new, repeated or over."""

import time
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from diagnosis.models import Alert, Incident
from diagnosis.states import RESOLVED
from oncall.models import User
from tests.diagnosis.alerts.deliveries import alert, deliver

pytestmark = pytest.mark.django_db
MANY = 1_000
MOST_QUERIES = 300  # Ten diagnoses are begun at once, at some seventeen each.
MOST_CPU_SECONDS = 5  # Half a second, on a machine of 2026.


def alerts(**fields: Any) -> list[dict[str, Any]]:
    return [alert(f"A{n}", labels={"service": f"s{n % 50}", "severity": "page"}, **fields) for n in range(MANY)]


@pytest.mark.parametrize("group", ["one", ""], ids=["one group", "no group"])
def test_new_then_again_then_over_then_new_again(alice: User, pages_rule: None, group: str) -> None:
    for told, name in [
        (alerts(), "new"),
        (alerts(), "again"),
        (alerts(end=5), "over"),
        (alerts(start=10), "recurring"),
        (alerts(start=7), "late"),
        (alerts(start=-5), "earliest"),
    ]:
        with CaptureQueriesContext(connection) as queries:
            began = time.process_time()
            taken = deliver(alice, *told, group=group)
            took = time.process_time() - began
        assert taken.received == taken.created + taken.updated == MANY
        assert len(queries) < MOST_QUERIES, (name, len(queries))
        assert took < MOST_CPU_SECONDS, (name, took)
    assert Alert.objects.count() == 4 * MANY
    assert Alert.objects.filter(state=RESOLVED).count() == 3 * MANY
    assert Incident.objects.exclude(alerts__isnull=False).count() == 0
