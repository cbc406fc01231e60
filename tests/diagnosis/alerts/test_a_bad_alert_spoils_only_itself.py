"""The valid alerts of a partly bad body are stored; each bad one is named by its place, its field and a sentence."""

from datetime import timedelta
from typing import Any

import pytest

from diagnosis.alerts import take_in
from diagnosis.models import Alert
from diagnosis.webhook import NotADelivery, read_delivery, short_group_key
from oncall.models import User
from tests.diagnosis.alerts.deliveries import NOW, YEAR_1, alert, body, deliver

pytestmark = pytest.mark.django_db

BAD = {
    "": [None, 1, "alert", [], True],
    "labels": [
        {**alert(), "labels": None},
        {**alert(), "labels": {}},
        {**alert(), "labels": []},
        {**alert(), "labels": {"alertname": 1}},
        {**alert(), "labels": {"alertname": None}},
        {**alert(), "labels": {"": "x"}},
        {**alert(), "labels": {"n" * 300: "x"}},
        {**alert(), "labels": {f"l{n}": "x" for n in range(200)}},
    ],
    "annotations": [{**alert(), "annotations": "text"}, {**alert(), "annotations": {"summary": ["x"]}}],
    "status": [{**alert(), "status": "open"}, {**alert(), "status": 1}, {**alert(), "status": ["firing"]}],
    "startsAt": [
        {**alert(), "startsAt": value}
        for value in (None, "", "yesterday", 5, YEAR_1, "2026-03-01T10:00:00", "9999-12-31T23:59:59-23:00",
                      "2026-13-01T00:00:00Z", "2026-03-09T10:00:00Z", "\x00", "\ud800")
    ],
    "endsAt": [{**alert(end=5), "endsAt": value} for value in (None, "", "soon", 7, "2026-03-01T10:00:00")],
    "fingerprint": [{**alert(), "fingerprint": value} for value in (None, "", " ", 7, "f" * 65)],
    "generatorURL": [{**alert(), "generatorURL": 7}, {**alert(), "generatorURL": {}}],
}  # fmt: skip


@pytest.mark.parametrize(("field", "value"), [(field, value) for field, values in BAD.items() for value in values])
def test_each_fault_is_named(alice: User, field: str, value: Any) -> None:
    taken = deliver(alice, alert("Good"), value, alert("Fine", start=1))
    (invalid,) = taken.invalid
    assert (invalid.index, invalid.field) == (1, field)
    assert invalid.detail.endswith(".") and invalid.detail[0].isupper()
    assert (taken.received, taken.created) == (3, 2)
    assert {row.name for row in Alert.objects.all()} == {"Good", "Fine"}


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        (None, ""),
        ([], ""),
        ("text", ""),
        ({}, "version"),
        ({**body(), "version": 4}, "version"),
        ({**body(), "version": "3"}, "version"),
        ({**body(), "groupKey": 1}, "groupKey"),
        ({**body(), "alerts": None}, "alerts"),
        ({**body(), "alerts": {}}, "alerts"),
        ({**body(), "alerts": [None] * 20_001}, "alerts"),
    ],
)
def test_what_is_no_delivery_is_refused_whole(wrong: Any, field: str) -> None:
    with pytest.raises(NotADelivery) as refused:
        read_delivery(wrong, now=NOW)
    assert refused.value.field == field


def test_an_empty_delivery_is_a_delivery(alice: User) -> None:
    taken = deliver(alice)
    assert (taken.received, taken.created, taken.incidents) == (0, 0, [])


SCRIPTS = {
    "chinese": "结账服务响应缓慢",
    "arabic": "بطء في الدفع",
    "hindi": "भुगतान धीमा है",
    "emoji": "🔥👩‍🚒",
    "markup": "<script>alert(1)</script>&amp;<img src=x onerror=y>",
    "quotes": "\"'; DROP TABLE diagnosis_alert; --",
    "braces": "{{ secret }} {% load x %}",
}


def test_labels_of_every_script_and_markup_stay_as_they_are(alice: User) -> None:
    deliver(alice, alert("结账延迟", labels=SCRIPTS, annotations=SCRIPTS))
    row = Alert.objects.get()
    assert row.name == "结账延迟"
    assert {**row.labels, **SCRIPTS} == row.labels
    assert row.annotations == SCRIPTS


def test_nul_and_half_characters_are_replaced(alice: User) -> None:
    odd = "a\x00b\ud800c"
    deliver(alice, {**alert(odd, labels={odd: odd}), "annotations": {odd: odd}, "fingerprint": odd}, group=odd)
    row = Alert.objects.get()
    assert row.name == row.fingerprint == row.group_key == "a\ufffdb\ufffdc"
    assert row.labels["a\ufffdb\ufffdc"] == "a\ufffdb\ufffdc"


def test_secrets_are_masked_everywhere(alice: User) -> None:
    secret = "hunter2hunter2"
    deliver(
        alice,
        alert(
            labels={"api_key": secret, "dsn": f"postgres://app:{secret}@db/x"},
            annotations={"description": f"login failed with password={secret}"},
            generatorURL=f"http://prom.example/graph?token={secret}",
        ),
        group=f'{{}}:{{password="{secret}"}}',
    )
    row = Alert.objects.get()
    everything = [row.labels, row.annotations, row.payload, row.generator_url, row.group_key, row.incident.group_key]
    assert secret not in repr(everything)


def test_long_texts_are_cut_and_links_that_are_none_are_dropped(alice: User) -> None:
    deliver(
        alice, alert("N" * 3_000, annotations={"d": "x" * 50_000}, generatorURL="javascript:alert(1)", fingerprint="f")
    )
    row = Alert.objects.get()
    assert len(row.name) == 200 and len(row.annotations["d"]) == 8_000 and row.generator_url == ""


def test_an_alert_without_a_name_is_still_stored(alice: User) -> None:
    deliver(alice, {**alert(), "labels": {"severity": "page"}})
    assert Alert.objects.get().name == "unnamed alert"


def test_a_long_group_key_keeps_its_identity() -> None:
    long = "{}:{" + "x" * 1_000
    assert len(short_group_key(long + "a")) == 255
    assert short_group_key(long + "a") != short_group_key(long + "b")


def test_a_clock_that_is_an_hour_ahead_is_taken(alice: User) -> None:
    ahead = (NOW + timedelta(hours=1)).isoformat()
    taken = take_in(read_delivery(body({**alert(), "startsAt": ahead}), now=NOW), owner_id=alice.pk, now=NOW)
    assert taken.created == 1
