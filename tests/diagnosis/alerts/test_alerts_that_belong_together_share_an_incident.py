"""A group has one open incident; without one, neighbours of the catalogue within ten minutes share theirs."""

from collections.abc import Callable

import pytest

from diagnosis.models import Alert, Incident
from diagnosis.states import OPEN, RESOLVED
from oncall.models import User
from tests.diagnosis.alerts.deliveries import alert, deliver, minutes

pytestmark = pytest.mark.django_db


def of(service: str) -> dict[str, dict[str, str]]:
    return {"labels": {"service": service}}


def test_a_group_has_one_open_incident(alice: User) -> None:
    deliver(alice, alert("A", **of("a")), group="one")
    deliver(alice, alert("A", **of("a")), alert("B", start=500, **of("b")), group="one")
    assert Incident.objects.get().alerts.count() == 2
    deliver(alice, alert("C", **of("c")), group="two")
    assert Incident.objects.count() == 2


def test_an_incident_is_over_with_its_last_alert(alice: User) -> None:
    deliver(alice, alert("A"), alert("B", start=2))
    deliver(alice, alert("A", end=5))
    assert Incident.objects.get().state == OPEN
    deliver(alice, alert("B", start=2, end=9))
    incident = Incident.objects.get()
    assert incident.state == RESOLVED and [incident.opened_at, incident.resolved_at] == minutes(0, 9)


def test_a_group_that_goes_on_while_one_of_its_alerts_ends_is_one_incident(alice: User) -> None:
    deliver(alice, alert("A"))
    deliver(alice, alert("A", end=5), alert("B", start=3))
    incident = Incident.objects.get()
    assert incident.state == OPEN and incident.alerts.count() == 2


def test_a_resolved_incident_takes_nothing_in(alice: User) -> None:
    deliver(alice, alert("A"))
    deliver(alice, alert("A", end=5))
    deliver(alice, alert("B", start=6))
    first, second = Incident.objects.order_by("opened_at")
    assert (first.state, second.state) == (RESOLVED, OPEN)
    assert second.recurrence_of == first
    assert first.alerts.count() == second.alerts.count() == 1


def test_what_began_after_the_end_is_a_recurrence_even_in_the_same_body(alice: User) -> None:
    deliver(alice, alert("A"))
    deliver(alice, alert("A", end=5), alert("B", start=8))
    first, second = Incident.objects.order_by("opened_at")
    assert (first.state, second.state, second.recurrence_of) == (RESOLVED, OPEN, first)


def test_what_was_over_before_the_open_incident_is_history(alice: User) -> None:
    deliver(alice, alert("A", start=20))
    deliver(alice, alert("A", start=0, end=5))
    early, late = Incident.objects.order_by("opened_at")
    assert (early.state, late.state) == (RESOLVED, OPEN)
    assert late.recurrence_of == early and early.recurrence_of is None


def test_neighbours_within_ten_minutes_share_an_incident(alice: User, catalogue: Callable[..., None]) -> None:
    catalogue(alice, ("web", "checkout"), ("checkout", "payment"), ("search", "index"))
    deliver(alice, alert("Slow", start=0, **of("payment")), group="payment")
    deliver(alice, alert("Slow", start=4, **of("checkout")), group="checkout")
    deliver(alice, alert("Slow", start=9, **of("web")), group="web")
    assert Incident.objects.get().alerts.count() == 3
    deliver(alice, alert("Slow", start=5, **of("search")), group="search")
    assert Incident.objects.count() == 2, "search neither calls any of them nor is called"
    deliver(alice, alert("More", start=9.5, **of("web")), group="web")
    assert Incident.objects.count() == 2, "the group of web is at home in that incident by now"


def test_the_same_service_is_its_own_neighbour_without_a_catalogue(alice: User) -> None:
    deliver(alice, alert("Slow", start=0), group="slow")
    deliver(alice, alert("Errors", start=10), group="errors")
    assert Incident.objects.count() == 1
    deliver(alice, alert("Memory", start=21), group="memory")
    assert Incident.objects.count() == 2, "more than ten minutes after the last of them"


def test_alerts_without_a_group_or_a_service_stand_alone(alice: User) -> None:
    lone = {"labels": {"service": ""}}
    deliver(alice, alert("A", fingerprint="a", **lone), alert("B", fingerprint="b", **lone), group="")
    assert Incident.objects.count() == 2


def test_neighbours_of_somebody_else_are_none(alice: User, bob: User, catalogue: Callable[..., None]) -> None:
    catalogue(alice, ("checkout", "payment"))
    deliver(alice, alert("Slow", **of("payment")), group="")
    deliver(bob, alert("Slow", **of("checkout")), alert("Slow", **of("payment")), group="")
    assert Incident.objects.count() == 3
    assert {row.incident.owner_user_id == row.owner_user_id for row in Alert.objects.all()} == {True}
