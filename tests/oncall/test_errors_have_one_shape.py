"""Every failure, inside and outside an API view, is answered in the one shape, and tells nothing that it must not."""

from typing import Any

import pytest
from django.test import Client

from oncall.models import User

pytestmark = [pytest.mark.urls("tests.oncall.probe_urls"), pytest.mark.django_db]


@pytest.fixture
def quiet_client() -> Client:
    return Client(raise_request_exception=False)


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [
        ("conflict", 409, "CONFLICT"),
        ("database", 503, "SYSTEM_UNAVAILABLE"),
        ("django-validation", 400, "VALIDATION_INVALID_ARGUMENT"),
        ("permission", 403, "AUTH_FORBIDDEN"),
        ("suspicious", 400, "VALIDATION_INVALID_ARGUMENT"),
        ("too-large", 413, "PAYLOAD_TOO_LARGE"),
        ("unforeseen", 500, "SYSTEM_INTERNAL_ERROR"),
    ],
)
def test_in_an_api_view(quiet_client: Client, name: str, status: int, code: str) -> None:
    response = quiet_client.get(f"/probe/fail/{name}")
    assert (response.status_code, response.json()["errors"][0]["code"]) == (status, code)
    assert_shape(response)


@pytest.mark.parametrize(("name", "status"), [("database", 503), ("suspicious", 400), ("unforeseen", 500)])
def test_in_a_plain_view(quiet_client: Client, name: str, status: int) -> None:
    response = quiet_client.get(f"/probe/plain/{name}")
    assert response.status_code == status
    assert_shape(response)


@pytest.mark.parametrize(("name", "status"), [("database", 503), ("suspicious", 400), ("unforeseen", 500)])
def test_a_page_fails_as_a_page(quiet_client: Client, name: str, status: int) -> None:
    response = quiet_client.get(f"/jobs/plain/{name}")
    assert response.status_code == status
    assert response["Content-Type"].startswith("text/html")
    assert "hunter2" not in response.text and "SELECT" not in response.text
    assert "Traceback" not in response.text


def test_no_such_address(client: Client) -> None:
    response = client.get("/nothing/here")
    assert (response.status_code, response.json()["errors"][0]["code"]) == (404, "NOT_FOUND")
    assert_shape(response)


def test_no_such_page_is_a_page(client: Client) -> None:
    response = client.get("/jobs/nothing/")
    assert response.status_code == 404
    assert "Nothing is here" in response.text


@pytest.mark.parametrize("path", ["/probe/only-get", "/probe/fail/conflict", "/health"])
def test_the_wrong_verb(client: Client, path: str) -> None:
    response = client.delete(path)
    assert (response.status_code, response.json()["errors"][0]["code"]) == (405, "METHOD_NOT_ALLOWED")
    assert "GET" in response["Allow"]
    assert_shape(response)


@pytest.mark.parametrize(
    ("body", "content_type", "status", "code"),
    [
        ("{", "application/json", 400, "VALIDATION_INVALID_ARGUMENT"),
        ("[" * 100_000, "application/json", 400, "VALIDATION_INVALID_ARGUMENT"),
        ('{"displayName": NaN}', "application/json", 400, "VALIDATION_INVALID_ARGUMENT"),
        ("[]", "application/json", 400, "VALIDATION_INVALID_ARGUMENT"),
        (b"\xff\xfe", "application/json", 400, "VALIDATION_INVALID_ARGUMENT"),
        ("x", "text/plain", 415, "UNSUPPORTED_MEDIA_TYPE"),
    ],
)
def test_a_malformed_body(client: Client, body: Any, content_type: str, status: int, code: str) -> None:
    response = client.post("/probe/echo", body, content_type=content_type)
    assert (response.status_code, response.json()["errors"][0]["code"]) == (status, code)
    assert_shape(response)


def test_half_a_character_that_is_repeated_in_a_detail(client: Client, alice: User) -> None:
    client.force_login(alice)
    response = client.post("/auth/tokens", r'{"name": "x", "scope": "\ud800"}', content_type="application/json")
    assert (response.status_code, response.json()["errors"][0]["attr"]) == (400, "scope")
    assert_shape(response)


def test_a_type_that_we_do_not_speak(client: Client) -> None:
    response = client.get("/probe/fail/conflict", headers={"Accept": "application/xml"})
    assert (response.status_code, response.json()["errors"][0]["code"]) == (406, "NOT_ACCEPTABLE")


def test_a_host_that_is_not_ours(client: Client) -> None:
    response = client.get("/health", headers={"Host": "evil.example"})
    assert response.status_code == 400
    assert_shape(response)


def test_the_field_is_named_as_it_was_sent(client: Client) -> None:
    response = client.get("/probe/fail/django-validation")
    assert response.json()["errors"][0]["attr"] == "name"


def assert_shape(response: Any) -> None:
    assert response["Content-Type"] == "application/json"
    body = response.json()
    assert set(body) == {"type", "errors"}
    assert body["type"] in ("validation_error", "client_error", "server_error")
    for error in body["errors"]:
        assert set(error) == {"code", "detail", "attr"}
        assert error["detail"]
    for secret in ("hunter2", "SELECT", "Traceback", "must not show", "forged"):
        assert secret not in response.text
