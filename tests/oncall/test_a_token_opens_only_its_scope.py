"""Scope by method: ``full`` opens all, ``read`` what changes nothing and searches, an ingest scope its one address."""

from collections.abc import Callable

import pytest
from django.test import Client

from oncall.models import User
from tests.factories import make_token

pytestmark = [pytest.mark.urls("tests.oncall.probe_urls"), pytest.mark.django_db]

CALLS = {
    "list": ("GET", "/probe/rows"),
    "options": ("OPTIONS", "/probe/rows"),
    "me": ("GET", "/auth/me"),
    "tokens": ("GET", "/auth/tokens"),
    "search": ("POST", "/probe/knowledge:search"),
    "steer": ("POST", "/probe/rows/{row}"),
    "change": ("PATCH", "/probe/rows/{row}"),
    "remove": ("DELETE", "/probe/rows/{row}"),
    "mint": ("POST", "/auth/tokens"),
    "revoke": ("DELETE", "/auth/tokens/tok_1"),
    "logout": ("POST", "/auth/logout"),
    "ingest": ("POST", "/probe/ingest"),
}
OPEN = {
    "full": set(CALLS),
    "read": {"list", "options", "me", "tokens", "search"},
    "alerts:write": {"ingest"},
    "changes:write": set(),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("scope", OPEN)
def test_scope_by_call(as_token: Callable[[str], Client], alice: User, scope: str, call: str) -> None:
    row, text = make_token(alice, scope=scope)
    method, path = CALLS[call]
    body = b'{"name": "another"}' if call == "mint" else b""
    response = as_token(text).generic(method, path.format(row=row.pk), body, "application/json")
    opened = response.status_code < 300 or (call == "revoke" and scope == "full")
    assert opened is (call in OPEN[scope])
    if not opened:
        assert (response.status_code, response.json()["errors"][0]["code"]) == (403, "AUTH_FORBIDDEN")


def test_too_small_a_scope_looks_like_a_foreign_row(
    as_token: Callable[[str], Client], alice: User, charlie: User
) -> None:
    row, reading = make_token(alice, scope="read")
    _, full = make_token(charlie)
    own = as_token(reading).post(f"/probe/rows/{row.pk}")
    foreign = as_token(full).post(f"/probe/rows/{row.pk}")
    assert (own.status_code, own.content) == (foreign.status_code, foreign.content)
