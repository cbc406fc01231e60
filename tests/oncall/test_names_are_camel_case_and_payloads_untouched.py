"""Declared names are camelCase outside; what stands in a JSON field passes through; times are UTC with Z."""

from typing import Any

import pytest
from django.test import Client

pytestmark = [pytest.mark.urls("tests.oncall.probe_urls"), pytest.mark.django_db]
LABELS = {"snake_key": {"another_key": [1, {"deep_key": None}]}, "camelKey": "x_y"}


def echo(client: Client, body: dict[str, Any]) -> Any:
    return client.post("/probe/echo", body, content_type="application/json")


def test_in_and_out(client: Client) -> None:
    body = {"displayName": "x", "manyLabels": LABELS, "startsAt": "2026-01-01T02:00:00+02:00"}
    assert echo(client, body).json() == {
        "inside": ["display_name", "many_labels", "starts_at"],
        "outside": {"displayName": "x", "manyLabels": LABELS, "startsAt": "2026-01-01T00:00:00Z"},
    }


@pytest.mark.parametrize(
    ("body", "attr"),
    [
        ({"display_name": "x"}, "displayName"),
        ({"displayName": "forbidden"}, "displayName"),
        ({"displayName": None}, "displayName"),
        ({"displayName": "a\x00b"}, "displayName"),
        ({"displayName": "\ud800"}, "displayName"),
        ({"displayName": ["x"]}, "displayName"),
        ({"displayName": "x", "manyLabels": {"a": "\x00"}}, "manyLabels"),
        ({"displayName": "x", "manyLabels": {"\x00": 1}}, "manyLabels"),
        ({"displayName": "x", "manyLabels": ["\ud800"]}, "manyLabels"),
        ({"displayName": "x", "startsAt": "9999-12-31T23:59:59-23:00"}, "startsAt"),
    ],
)
def test_a_bad_value_names_its_field(client: Client, body: dict[str, Any], attr: str) -> None:
    response = echo(client, body)
    assert response.status_code == 400
    assert [error["attr"] for error in response.json()["errors"]] == [attr]


def test_a_payload_may_not_be_bottomless(client: Client) -> None:
    value: Any = 1
    for _ in range(100):
        value = [value]
    assert echo(client, {"displayName": "x", "manyLabels": value}).json()["errors"][0]["attr"] == "manyLabels"
