"""A cursor or a limit that no link of ours carries is a 400 that names it."""

import json
from base64 import b64encode, urlsafe_b64encode

import pytest
from django.test import Client

from oncall.models import User

pytestmark = [pytest.mark.urls("tests.oncall.probe_urls"), pytest.mark.django_db]


def encoded(value: object) -> str:
    return urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


FORGED = [
    "cD0x",
    "",
    "x",
    "é",
    "\x00",
    b64encode(b"p=2020-01-01").decode(),
    encoded([0, "not a time", "tok_1"]),
    encoded([0, "2026-01-01T00:00:00", "tok_1"]),
    encoded([0, "2026-01-01T00:00:00+00:00"]),
    encoded([2, "2026-01-01T00:00:00+00:00", "tok_1"]),
    encoded([0, "2026-01-01T00:00:00+00:00", "tok\x00"]),
    encoded([0, "2026-01-01T00:00:00+00:00", {"a": 1}]),
    encoded([0, "0001-01-01T00:00:00+23:59", "tok_1"]),
    encoded([0, "9999-12-31T23:59:59-23:59", "tok_1"]),
    encoded([0, None, None]),
    encoded({"a": 1}),
    encoded(7),
    encoded([]),
    urlsafe_b64encode(b"[" * 5000).decode(),
]


@pytest.mark.parametrize("cursor", FORGED)
def test_forged_cursor(client: Client, alice: User, cursor: str) -> None:
    client.force_login(alice)
    assert_named(client.get("/probe/rows", {"cursor": cursor}), "cursor")


@pytest.mark.parametrize("limit", ["0", "-1", "201", "x", "", "1.5", "９", "99999999999999999999"])
def test_bad_limit(client: Client, alice: User, limit: str) -> None:
    client.force_login(alice)
    assert_named(client.get("/probe/rows", {"limit": limit}), "limit")


def assert_named(response: object, attr: str) -> None:
    assert response.status_code == 400  # type: ignore[attr-defined]
    error = response.json()["errors"][0]  # type: ignore[attr-defined]
    assert (error["code"], error["attr"]) == ("VALIDATION_INVALID_ARGUMENT", attr)
