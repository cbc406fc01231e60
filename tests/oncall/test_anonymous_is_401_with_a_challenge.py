"""Without credentials, and with bad ones, the answer is a 401 with a challenge, never a 403."""

import pytest
from django.test import Client

pytestmark = [pytest.mark.urls("tests.oncall.probe_urls"), pytest.mark.django_db]
PATHS = ["/auth/me", "/auth/tokens", "/auth/tokens/tok_1", "/probe/rows", "/probe/rows/tok_1"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("method", ["get", "post", "delete"])
def test_without_credentials(client: Client, path: str, method: str) -> None:
    assert_challenged(client.generic(method.upper(), path))


@pytest.mark.parametrize(
    "header", ["Bearer", "Bearer x", "Bearer a b", "Bearer oncall_" + "0" * 64, "Bearer é", "Bearer " + "a" * 5000]
)
def test_with_a_bad_token(client: Client, header: str) -> None:
    assert_challenged(client.get("/auth/me", headers={"Authorization": header}))


def test_with_a_session_that_ended(client: Client) -> None:
    client.cookies["sessionid"] = "gone"
    assert_challenged(client.get("/auth/me"))


def assert_challenged(response: object) -> None:
    assert response.status_code == 401  # type: ignore[attr-defined]
    assert response["WWW-Authenticate"] == "Bearer"  # type: ignore[index]
    assert response.json()["errors"][0]["code"] == "AUTH_UNAUTHENTICATED"  # type: ignore[attr-defined]
