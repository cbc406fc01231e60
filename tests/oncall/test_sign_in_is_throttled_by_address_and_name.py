"""Guessing slows down, 429 with ``Retry-After``; from another address the owner still signs in."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from oncall.models import SignInAttempts, User
from oncall.signin.throttle import FREE_FAILURES, admit, forget, pause_after
from tests.factories import PASSWORD

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 1, 1, tzinfo=UTC)
ATTACKER, OWNER, PROXY = "203.0.113.9", "198.51.100.7", "10.0.0.2"


def login(address: str, password: str, username: str = "alice", **headers: str) -> Any:
    body = {"username": username, "password": password}
    return Client().post("/auth/login", body, content_type="application/json", REMOTE_ADDR=address, headers=headers)


def guess(address: str = ATTACKER, times: int = FREE_FAILURES, **headers: str) -> None:
    for _ in range(times):
        assert login(address, "guess", **headers).status_code == 401


def test_the_owner_at_another_address_is_not_locked_out(alice: User) -> None:
    guess()
    refused = login(ATTACKER, PASSWORD)
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (429, "RATE_LIMIT_EXCEEDED")
    assert 1 <= int(refused["Retry-After"]) <= 2
    assert login(OWNER, PASSWORD).status_code == 200


def test_another_name_at_the_same_address_is_free(alice: User, bob: User) -> None:
    guess()
    assert login(ATTACKER, PASSWORD, username="bob").status_code == 200


def test_the_page_has_the_same_throttle(client: Client, alice: User) -> None:
    guess(OWNER)
    body = {"username": "alice", "password": PASSWORD}
    refused = client.post("/accounts/login/", body, REMOTE_ADDR=OWNER)
    assert refused.status_code == 429 and refused["Retry-After"]
    assert "Too many failed attempts from this address" in refused.text


def test_a_client_cannot_make_its_address_up(alice: User) -> None:
    for hop in range(FREE_FAILURES):
        login(ATTACKER, "guess", **{"X-Forwarded-For": f"192.0.2.{hop}"})
    assert login(ATTACKER, "guess", **{"X-Forwarded-For": "192.0.2.99"}).status_code == 429


def test_behind_a_trusted_proxy_the_last_hop_counts(alice: User, settings: Any) -> None:
    settings.ONCALL_TRUSTED_PROXIES = ["10.0.0.0/8"]
    for hop in range(FREE_FAILURES):
        login(PROXY, "guess", **{"X-Forwarded-For": f"192.0.2.{hop}, {ATTACKER}, 10.0.0.3"})
    assert login(PROXY, "guess", **{"X-Forwarded-For": ATTACKER}).status_code == 429
    assert login(PROXY, PASSWORD, **{"X-Forwarded-For": OWNER}).status_code == 200


def test_one_ipv6_network_is_one_address(alice: User) -> None:
    for host in range(FREE_FAILURES):
        login(f"2001:db8::{host}", "guess")
    assert login("2001:db8::ffff", "guess").status_code == 429
    assert login("2001:db8:1::1", PASSWORD).status_code == 200


def test_the_pause_grows_and_ends(db: None) -> None:
    now, waits = NOW, []
    for _ in range(30):
        assert admit(ATTACKER, "alice", now=now) == 0
        waits.append(admit(ATTACKER, "alice", now=now) if pause_after(len(waits) + 1) else 0)
        now += timedelta(seconds=waits[-1])
    assert waits[:8] == [0, 0, 0, 0, 2, 4, 8, 16]
    assert max(waits) == 900


def test_after_a_quiet_hour_all_is_forgotten(db: None) -> None:
    for _ in range(FREE_FAILURES):
        admit(ATTACKER, "alice", now=NOW)
    assert admit(ATTACKER, "alice", now=NOW) > 0
    admit(OWNER, "bob", now=NOW + timedelta(hours=2))
    assert SignInAttempts.objects.count() == 1


def test_a_good_sign_in_clears_the_count(db: None) -> None:
    for _ in range(FREE_FAILURES - 1):
        admit(ATTACKER, "alice", now=NOW)
    forget(ATTACKER, "alice")
    assert [admit(ATTACKER, "alice", now=NOW) for _ in range(FREE_FAILURES)] == [0] * FREE_FAILURES


def test_neither_name_nor_address_is_stored(db: None) -> None:
    admit(ATTACKER, "alice", now=NOW)
    stored = str(SignInAttempts.objects.values().get())
    assert "alice" not in stored and ATTACKER not in stored
