"""A filter that is unknown or has a bad value is a 400 that names it; a typo never widens a list in silence."""

from datetime import UTC, datetime

import pytest
from django.test import Client

from oncall.models import Token, User
from tests.factories import make_token

pytestmark = [pytest.mark.urls("tests.oncall.probe_urls"), pytest.mark.django_db]


@pytest.mark.parametrize(
    ("query", "attr"),
    [
        ("stauts=x", "stauts"),
        ("used_after=2026-01-01", "used_after"),
        ("scope=everything", "scope"),
        ("usedAfter=yesterday", "usedAfter"),
        ("usedAfter=0001-01-01T00:00:00%2B23:00", "usedAfter"),
        ("tokenKey=%00", "tokenKey"),
        ("page=2", "page"),
    ],
)
def test_bad_filter(client: Client, alice: User, query: str, attr: str) -> None:
    client.force_login(alice)
    response = client.get(f"/probe/rows?{query}")
    assert response.status_code == 400
    error = response.json()["errors"][0]
    assert (error["code"], error["attr"]) == ("VALIDATION_INVALID_ARGUMENT", attr)


def test_a_known_filter_filters(client: Client, alice: User) -> None:
    client.force_login(alice)
    used, _ = make_token(alice)
    make_token(alice)
    Token.objects.filter(pk=used.pk).update(last_used_at=datetime(2026, 1, 2, tzinfo=UTC))
    rows = client.get("/probe/rows?usedAfter=2026-01-02T00:00:00Z").json()["results"]
    assert rows == [{"id": used.pk, "lastUsedAt": "2026-01-02T00:00:00Z"}]


def test_the_token_list_refuses_them_too(client: Client, alice: User) -> None:
    client.force_login(alice)
    assert client.get("/auth/tokens?owner=1").json()["errors"][0]["attr"] == "owner"
