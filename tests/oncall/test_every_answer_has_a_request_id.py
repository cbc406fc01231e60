"""``X-Request-ID`` is on every answer; a sane one of the caller is kept, so that logs join across hops."""

import pytest
from django.test import Client

pytestmark = [pytest.mark.urls("tests.oncall.probe_urls"), pytest.mark.django_db]


@pytest.mark.parametrize(
    "path", ["/health", "/nothing", "/probe/fail/conflict", "/accounts/login/", "/auth/me", "/api"]
)
def test_it_is_there(client: Client, path: str) -> None:
    assert len(client.get(path)["X-Request-ID"]) == 32


def test_it_is_there_when_all_goes_wrong() -> None:
    assert Client(raise_request_exception=False).get("/probe/plain/unforeseen")["X-Request-ID"]


def test_a_sane_one_is_kept(client: Client) -> None:
    assert client.get("/health", headers={"X-Request-ID": "abc-123.DEF"})["X-Request-ID"] == "abc-123.DEF"


@pytest.mark.parametrize("sent", ["short", "a" * 65, "with space", "new\\nline", "é" * 10, '{"a":1}'])
def test_another_is_replaced(client: Client, sent: str) -> None:
    assert client.get("/health", headers={"X-Request-ID": sent})["X-Request-ID"] != sent
