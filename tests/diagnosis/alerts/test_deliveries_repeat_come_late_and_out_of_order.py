"""However deliveries come, the rows end the same: one per firing, over what was told to be over."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from diagnosis.models import Alert, AlertIntake, Incident
from diagnosis.states import FIRING, OPEN, RESOLVED
from oncall.models import User
from tests.diagnosis.alerts.deliveries import NOW, T0, YEAR_1, alert, body, deliver

pytestmark = pytest.mark.django_db


def test_a_firing_alert_becomes_a_row_and_an_incident(alice: User) -> None:
    taken = deliver(alice, alert())
    row = Alert.objects.get()
    assert (taken.received, taken.created, taken.updated, taken.resolved) == (1, 1, 0, 0)
    assert taken.incidents == [row.incident_id]
    assert (row.state, row.starts_at, row.ends_at, row.service, row.name) == (
        FIRING, T0, None, "checkout", "CheckoutSlow",
    )  # fmt: skip
    assert row.incident.state == OPEN and row.incident.opened_at == T0
    assert row.incident.title == "CheckoutSlow · checkout"


def test_a_repeat_is_counted_and_makes_nothing(alice: User) -> None:
    deliver(alice, alert())
    taken = deliver(alice, alert(), now=NOW + timedelta(hours=4))
    assert (taken.created, taken.updated, taken.resolved) == (0, 1, 0)
    row = Alert.objects.get()
    assert row.deliveries == 2 and row.last_seen_at == NOW + timedelta(hours=4)
    assert Incident.objects.count() == 1


def test_the_same_alert_twice_in_one_body_is_one_row(alice: User) -> None:
    taken = deliver(alice, alert(), alert(), alert(end=5))
    assert (taken.received, taken.created, taken.updated, taken.resolved) == (3, 1, 2, 1)
    row = Alert.objects.get()
    assert row.state == RESOLVED and row.deliveries == 3


def test_an_end_in_year_1_means_firing(alice: User) -> None:
    deliver(alice, {**alert(), "status": "resolved", "endsAt": YEAR_1})
    assert Alert.objects.get().state == FIRING


def test_resolved_ends_the_alert_and_with_it_the_incident(alice: User) -> None:
    deliver(alice, alert())
    taken = deliver(alice, alert(end=12))
    assert (taken.created, taken.updated, taken.resolved) == (0, 1, 1)
    row = Alert.objects.get()
    assert row.state == RESOLVED and row.ends_at == T0 + timedelta(minutes=12)
    assert row.incident.state == RESOLVED and row.incident.resolved_at == row.ends_at


def test_a_late_firing_reopens_nothing(alice: User) -> None:
    deliver(alice, alert())
    deliver(alice, alert(end=12))
    taken = deliver(alice, alert())
    assert (taken.created, taken.updated) == (0, 1)
    row = Alert.objects.get()
    assert row.state == RESOLVED and row.incident.state == RESOLVED


def test_resolved_before_firing_is_resolved(alice: User) -> None:
    deliver(alice, alert(end=12))
    deliver(alice, alert())
    row = Alert.objects.get()
    assert row.state == RESOLVED and row.incident.state == RESOLVED and row.incident.resolved_at == row.ends_at


def test_firing_again_is_a_recurrence_that_names_the_first(alice: User) -> None:
    for delivered in (alert(), alert(end=5), alert(start=10), alert(start=10, end=12), alert(start=20)):
        deliver(alice, delivered)
    first, second, third = Alert.objects.order_by("starts_at")
    assert first.recurrence_of is None
    assert second.recurrence_of == first and third.recurrence_of == first
    assert [row.incident.state for row in (first, second, third)] == [RESOLVED, RESOLVED, OPEN]
    assert third.incident.recurrence_of == second.incident and second.incident.recurrence_of == first.incident


def test_a_lost_resolved_is_made_up_by_the_next_firing(alice: User) -> None:
    deliver(alice, alert())
    deliver(alice, alert(start=10))
    first, second = Alert.objects.order_by("starts_at")
    assert first.state == RESOLVED and first.ends_at == second.starts_at and second.state == FIRING
    deliver(alice, alert(end=5))
    first.refresh_from_db()
    assert first.ends_at == T0 + timedelta(minutes=5), "what is told counts more than what is implied"


def test_rows_of_two_owners_never_meet(alice: User, bob: User) -> None:
    deliver(alice, alert())
    deliver(bob, alert(end=5))
    assert {row.owner_user_id: row.state for row in Alert.objects.all()} == {alice.pk: FIRING, bob.pk: RESOLVED}
    assert Incident.objects.count() == 2


# --- Any order, any repetition --------------------------------------------------------------------------------------

NAMES = ("A", "B", "C")


@st.composite
def histories(draw: st.DrawFn) -> list[dict[str, Any]]:
    """What a few alerts did: firings one after the other, each told, its end told or lost, each delivery once."""
    told = []
    for name in draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True)):
        start = draw(st.integers(0, 5))
        for _ in range(draw(st.integers(1, 4))):
            end = start + draw(st.integers(1, 5))
            deliveries = [alert(name, start=start), alert(name, start=start, end=end)]
            told += draw(st.sampled_from([deliveries, deliveries[:1], deliveries[1:]]))
            start = end + draw(st.integers(1, 5))
    return told


def ended_up(owner: User) -> list[tuple[Any, ...]]:
    rows = (
        Alert.objects.filter(owner_user=owner).select_related("recurrence_of", "incident").order_by("name", "starts_at")
    )
    return [
        (row.name, row.starts_at, row.state, row.ends_at, row.superseded, row.labels, row.annotations, row.payload,
         row.recurrence_of and row.recurrence_of.starts_at)
        for row in rows
    ]  # fmt: skip


def check_incidents(owner: User) -> None:
    for incident in Incident.objects.filter(owner_user=owner):
        rows = list(incident.alerts.all())
        assert rows, "no incident without an alert"
        assert incident.opened_at == min(row.starts_at for row in rows)
        assert (incident.state == OPEN) is any(row.state == FIRING for row in rows)
        if incident.state == RESOLVED:
            assert incident.resolved_at == max(row.ends_at for row in rows if row.ends_at)


@pytest.mark.parametrize("group", ["{}:{}", ""], ids=["one group", "no group"])
@given(told=histories(), data=st.data())
@settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],  # Each example is some forty transactions: too slow to shrink.
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_any_order_and_repetition_ends_in_the_same_rows(
    alice: User, bob: User, group: str, told: list[dict[str, Any]], data: st.DataObject
) -> None:
    Alert.objects.all().delete()
    Incident.objects.all().delete()
    for delivered in told:
        deliver(alice, delivered, group=group)
    shuffled = data.draw(st.permutations(told + data.draw(st.lists(st.sampled_from(told), max_size=6))))
    while shuffled:
        size = data.draw(st.integers(1, len(shuffled)))
        deliver(bob, *shuffled[:size], group=group)
        shuffled = shuffled[size:]
    assert ended_up(bob) == ended_up(alice)
    check_incidents(alice)
    check_incidents(bob)


def test_the_webhook_is_noted(alice: User) -> None:
    deliver(alice, alert())
    intake = AlertIntake.objects.get(owner_user=alice)
    assert intake.webhook_at == NOW and intake.heartbeat_at is None
    assert body()["version"] == "4"
