"""Whatever JSON stands in a delivery: each alert is stored or named, and the counts add up."""

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from diagnosis.models import Alert
from diagnosis.webhook import NotADelivery, read_delivery
from oncall.models import User
from tests.diagnosis.alerts.deliveries import NOW, alert, body, deliver

TEXTS = st.text(st.characters(), max_size=20)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3))
FIELDS = ("status", "labels", "annotations", "startsAt", "endsAt", "generatorURL", "fingerprint")


@st.composite
def alerts(draw: st.DrawFn) -> Any:
    """A good alert of which some fields hold anything, or are not there, or no alert at all."""
    if draw(st.integers(0, 9)) == 0:
        return draw(JSON)
    labels = draw(st.dictionaries(TEXTS, TEXTS))
    made = alert(draw(st.sampled_from("ABC")), start=draw(st.integers(0, 3)), labels=labels)
    for field in draw(st.lists(st.sampled_from(FIELDS), max_size=2)):
        made[field] = draw(JSON)
    for field in draw(st.lists(st.sampled_from(FIELDS), max_size=1)):
        made.pop(field, None)
    return made


@pytest.mark.django_db
@given(sent=st.lists(alerts(), max_size=6), group=TEXTS)
@settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_every_alert_is_stored_or_named(alice: User, sent: list[Any], group: str) -> None:
    taken = deliver(alice, *sent, group=group)
    assert taken.received == len(sent) == taken.created + taken.updated + taken.heartbeats + len(taken.invalid)
    assert [bad.index for bad in taken.invalid] == sorted({bad.index for bad in taken.invalid})
    assert not Alert.objects.filter(incident__isnull=True).exists()


@given(sent=JSON)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_what_is_no_delivery_is_refused(sent: Any) -> None:
    with pytest.raises(NotADelivery):
        read_delivery(sent, now=NOW)


@given(field=st.sampled_from(("version", "groupKey", "alerts", "receiver", "status")), value=JSON)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_a_strange_field_is_refused_or_not_read(field: str, value: Any) -> None:
    try:
        read_delivery({**body(alert()), field: value}, now=NOW)
    except NotADelivery as refused:
        assert refused.field == field
