"""A rule begins one diagnosis of an incident; later alerts are evidence; another at most every ten minutes."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from diagnosis.models import Alert, Diagnosis, Incident, Rule
from diagnosis.rules import diagnose_incident, matches
from diagnosis.transitions import ActiveDiagnosis
from jobs.models import Job
from jobs.transitions import request_cancel
from oncall.models import User
from tests.diagnosis.alerts.deliveries import NOW, alert, deliver

pytestmark = pytest.mark.django_db


def page(name: str = "CheckoutSlow", **fields: Any) -> dict[str, Any]:
    return alert(name, **{**fields, "labels": {"severity": "page", **fields.get("labels", {})}})


def finish() -> None:
    for job in Job.objects.filter(status="queued"):
        request_cancel(job.pk)


def test_forty_alerts_in_one_body(alice: User, pages_rule: None) -> None:
    deliver(alice, *[page(f"A{n}", start=n / 10, labels={"service": f"s{n}"}) for n in range(40)])
    assert Incident.objects.get().alerts.count() == 40
    diagnosis = Diagnosis.objects.get()
    assert diagnosis.incident == Incident.objects.get() and diagnosis.alert.name == "A0"
    assert diagnosis.owner_user_id == alice.pk
    job = Job.objects.get()
    assert (job.kind, job.resource_type, job.resource_id) == ("aiops_diagnosis", "aiops_diagnostic", diagnosis.pk)


def test_forty_alerts_in_forty_groups_of_neighbours(
    alice: User, pages_rule: None, catalogue: Callable[..., None]
) -> None:
    catalogue(alice, *[(f"s{n}", f"s{n + 1}") for n in range(39)])
    for n in range(40):
        deliver(alice, page(f"A{n}", start=n / 8, labels={"service": f"s{n}"}), group=f"g{n}")
    assert Incident.objects.get().alerts.count() == 40
    assert Diagnosis.objects.count() == 1


def test_another_run_only_for_a_new_alert_and_after_ten_minutes(alice: User, pages_rule: None) -> None:
    deliver(alice, page("A"), now=NOW)
    deliver(alice, page("B"), now=NOW + timedelta(minutes=11))
    assert Diagnosis.objects.count() == 1, "the first one is not finished"
    finish()
    deliver(alice, page("A"), page("B"), now=NOW + timedelta(minutes=12))
    assert Diagnosis.objects.count() == 1, "nothing is new"
    deliver(alice, page("C"), now=NOW + timedelta(minutes=13))
    assert Diagnosis.objects.count() == 2
    finish()
    deliver(alice, page("D"), now=NOW + timedelta(minutes=22))
    assert Diagnosis.objects.count() == 2, "nine minutes after the last one"
    deliver(alice, page("E"), now=NOW + timedelta(minutes=24))
    assert Diagnosis.objects.count() == 3


def test_one_that_somebody_asked_for_counts(alice: User, pages_rule: None) -> None:
    deliver(alice, alert("A"), now=NOW)
    diagnose_incident(Incident.objects.get(), now=NOW)
    finish()
    deliver(alice, page("B"), now=NOW + timedelta(minutes=5))
    assert Diagnosis.objects.count() == 1


def test_what_does_not_match_begins_nothing(alice: User, bob: User, pages_rule: None) -> None:
    deliver(alice, alert("A", labels={"severity": "info"}))
    deliver(alice, page("Over", end=5), group="over")
    deliver(bob, page("B"))
    Rule.objects.update(enabled=False)
    deliver(alice, page("C"), group="c")
    assert not Diagnosis.objects.exists()


def test_a_rule_that_is_younger_than_its_alert_is_heard_at_the_next_delivery(alice: User, pages_rule: None) -> None:
    Rule.objects.update(enabled=False)
    deliver(alice, page("A"))
    Rule.objects.update(enabled=True)
    deliver(alice, page("A"))
    assert Diagnosis.objects.count() == 1


def test_a_clock_ahead_of_ours_is_diagnosed_up_to_now(alice: User, pages_rule: None) -> None:
    deliver(alice, page("A", start=90), now=NOW)
    diagnosis = Diagnosis.objects.get()
    assert diagnosis.ends_at == NOW and diagnosis.starts_at == NOW - timedelta(hours=1)


def test_a_second_one_while_one_runs_is_refused_and_named(alice: User, pages_rule: None) -> None:
    deliver(alice, page("A"))
    with pytest.raises(ActiveDiagnosis) as refused:
        diagnose_incident(Incident.objects.get(), now=NOW)
    assert refused.value.diagnosis_id == Diagnosis.objects.get().pk
    assert Alert.objects.count() == 1


@pytest.mark.parametrize(
    ("matchers", "expected"),
    [
        ({}, True),
        ({"severity": "page"}, True),
        ({"severity": "Page"}, False),
        ({"severity": ["info", "page"]}, True),
        ({"severity": "page", "service": "checkout"}, True),
        ({"severity": "page", "service": "web"}, False),
        ({"team": ""}, False),
    ],
)
def test_matchers_want_exact_values(matchers: dict[str, Any], expected: bool) -> None:
    assert matches(matchers, {"severity": "page", "service": "checkout"}) is expected
