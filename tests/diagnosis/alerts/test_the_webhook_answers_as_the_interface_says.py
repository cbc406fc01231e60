"""``POST /aiops/alerts/alertmanager``: 200 with counts, 400 for what is no delivery, 503 for a busy database."""

import sqlite3
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from diagnosis.models import Alert, Incident
from oncall.models import Membership, Team, User
from tests.diagnosis.alerts.deliveries import alert, body
from tests.factories import make_token

pytestmark = pytest.mark.django_db
PATH = "/aiops/alerts/alertmanager"
JSON = "application/json"


def test_counts_and_bad_ones(alertmanager: Callable[..., Any], team: Team) -> None:
    answer = alertmanager(body(alert(), {**alert("Bad"), "startsAt": "soon"}, alert("Watchdog"), alert("Over", end=5)))
    assert answer.status_code == 200
    assert answer.json() == {
        "received": 4,
        "created": 2,
        "updated": 0,
        "resolved": 1,
        "heartbeats": 1,
        "invalid": [{"index": 1, "field": "startsAt", "detail": "Must be an ISO 8601 time."}],
        "incidents": [Incident.objects.get().pk],
    }
    assert {row.owner_user_id for row in Alert.objects.all()} == {team.pk}, "the token's owner owns them"


@pytest.mark.parametrize(
    ("sent", "attr"),
    [
        ("[]", "nonFieldErrors"),
        ("null", "nonFieldErrors"),
        ('"x"', "nonFieldErrors"),
        ("{}", "version"),
        ('{"version": "4"}', "alerts"),
        ('{"version": "4", "alerts": "x"}', "alerts"),
        ('{"version": "4", "alerts": [], "groupKey": []}', "groupKey"),
        ("{", None),
        ('{"version": "4", "alerts": [NaN]}', None),
        ("[" * 5_000, None),
        ("", None),
    ],
)
def test_what_is_no_delivery(alertmanager: Callable[..., Any], sent: str, attr: str | None) -> None:
    answer = alertmanager(sent)
    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert error["code"] == "VALIDATION_INVALID_ARGUMENT" and error["attr"] == (attr or error["attr"])


def test_a_body_of_megabytes_is_taken(alertmanager: Callable[..., Any]) -> None:
    many = [alert(f"A{n}", annotations={"description": "x" * 5_000}) for n in range(1_000)]
    answer = alertmanager(body(*many))
    assert answer.status_code == 200 and answer.json()["created"] == 1_000


@pytest.mark.parametrize(
    ("scope", "status"), [("alerts:write", 200), ("full", 200), ("read", 403), ("changes:write", 403)]
)
def test_the_scope_of_the_token(alice: User, as_token: Callable[[str], Client], scope: str, status: int) -> None:
    _, text = make_token(alice, scope=scope)
    assert as_token(text).post(PATH, body(alert()), content_type=JSON).status_code == status


def test_that_scope_opens_nothing_else(alice: User, as_token: Callable[[str], Client]) -> None:
    client = as_token(make_token(alice, scope="alerts:write")[1])
    for path in ("/aiops/alerts", "/aiops/incidents", "/aiops/rules"):
        assert client.get(path).status_code == 403
    assert client.post("/aiops/changes", {}, content_type=JSON).status_code == 403


def test_without_credentials(client: Client) -> None:
    assert client.post(PATH, body(alert()), content_type=JSON).status_code == 401


@pytest.mark.parametrize(("role", "status"), [("admin", 200), ("responder", 200), ("reader", 403)])
def test_a_token_is_worth_what_its_user_may_do_now(
    alice: User, alertmanager: Callable[..., Any], role: str, status: int
) -> None:
    Membership.objects.filter(user=alice).update(role=role)
    assert alertmanager(body(alert())).status_code == status


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif("sqlite" not in connection.vendor, reason="PostgreSQL has no lock over the whole database.")
def test_a_locked_database_is_503_and_loses_nothing(alice: User, as_token: Callable[[str], Client]) -> None:
    client = as_token(make_token(alice, scope="alerts:write")[1])
    client.raise_request_exception = False
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 50")
    other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        answer = client.post(PATH, body(alert()), content_type=JSON)
        other.execute("ROLLBACK")
    finally:
        other.close()
    assert answer.status_code == 503 and answer.json()["errors"][0]["code"] == "SYSTEM_UNAVAILABLE"
    assert not Alert.objects.exists()
    assert client.post(PATH, body(alert()), content_type=JSON).status_code == 200
    connection.close()


def test_a_change(alice: User, team: Team, as_token: Callable[[str], Client]) -> None:
    client = as_token(make_token(alice, owner=team, scope="changes:write")[1])
    sent = {
        "service": "payment",
        "kind": "deploy",
        "at": "2026-03-01T09:58:00Z",
        "version": "4.2",
        "url": "https://ci/1",
    }
    first = client.post("/aiops/changes", sent, content_type=JSON)
    assert first.status_code == 201
    assert {**first.json(), **sent} == first.json() and first.json()["ownerUserId"] == team.pk
    assert client.post("/aiops/changes", sent, content_type=JSON).json() == first.json()
    for field, value in {
        "service": "",
        "kind": "\x00",
        "at": "yesterday",
        "url": "javascript:alert(1)",
        "version": "v" * 201,
    }.items():
        bad = client.post("/aiops/changes", {**sent, field: value}, content_type=JSON)
        assert bad.status_code == 400 and bad.json()["errors"][0]["attr"] == field, field
