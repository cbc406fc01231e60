"""``POST /auth/login``, ``/auth/logout``, ``GET /auth/me``, and the same through the page."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from oncall.models import SignInAttempts, Team, Token, User
from tests.factories import PASSWORD

pytestmark = pytest.mark.django_db


def login(client: Client, username: str = "alice", password: str = PASSWORD) -> Any:
    body = {"username": username, "password": password}
    return client.post("/auth/login", body, content_type="application/json")


def test_a_token_that_expires(client: Client, alice: User, team: Team, as_token: Callable[[str], Client]) -> None:
    answer = login(client)
    assert answer.status_code == 200
    assert set(answer.json()) == {"token", "expiry", "user"}
    assert answer.json()["expiry"].endswith("Z")
    assert answer.json()["user"]["teams"] == [{"id": team.pk, "name": "ops", "role": "admin"}]
    me = as_token(answer.json()["token"]).get("/auth/me")
    assert me.json() == answer.json()["user"]
    assert not SignInAttempts.objects.exists()


def test_logout_revokes_that_token_alone(client: Client, alice: User, as_token: Callable[[str], Client]) -> None:
    first, second = (login(client).json()["token"] for _ in range(2))
    assert as_token(first).post("/auth/logout").status_code == 204
    assert as_token(first).get("/auth/me").status_code == 401
    assert as_token(second).get("/auth/me").status_code == 200


def test_logout_ends_a_session(client: Client, alice: User) -> None:
    client.force_login(alice)
    assert client.post("/auth/logout").status_code == 204
    assert client.get("/auth/me").status_code == 401


def test_a_wrong_password_and_an_unknown_name_look_the_same(client: Client, alice: User) -> None:
    wrong, unknown = login(client, password="x"), login(client, username="nobody", password="x")
    assert wrong.status_code == unknown.status_code == 401
    assert wrong.content == unknown.content
    assert wrong["WWW-Authenticate"] == "Bearer"


def test_an_unknown_name_costs_a_hash_too(client: Client, db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    hashed: list[str] = []

    def record(self: User, password: str) -> None:
        hashed.append(password)

    monkeypatch.setattr(User, "set_password", record)
    login(client, username="nobody", password="x")
    assert hashed == ["x"]


def test_an_inactive_person_has_nothing(client: Client, alice: User) -> None:
    client.force_login(alice)
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert client.get("/auth/me").status_code == 401
    assert login(Client()).status_code == 401


def test_a_team_never_signs_in(client: Client, team: Team) -> None:
    team.set_password(PASSWORD)
    User.objects.filter(pk=team.pk).update(password=team.password)
    assert login(client, username="ops").status_code == 401
    assert page(client, username="ops").status_code == 200
    client.force_login(User.objects.get(pk=team.pk))
    assert client.get("/auth/me").status_code == 401


@pytest.mark.parametrize("body", ["", "{", "[]", '"x"', "{}", '{"username": "a"}', '{"username": 1, "password": {}}'])
def test_a_malformed_body_is_400(client: Client, body: str) -> None:
    response = client.post("/auth/login", body, content_type="application/json")
    assert response.status_code == 400
    assert response.json()["errors"][0]["code"] == "VALIDATION_INVALID_ARGUMENT"
    assert not Token.objects.exists()


def test_the_page_signs_in_and_out(client: Client, alice: User) -> None:
    assert page(client, next="/api").headers["Location"] == "/api"
    assert client.get("/auth/me").json()["username"] == "alice"
    assert client.post("/accounts/logout/").headers["Location"] == "/accounts/login/"
    assert client.get("/auth/me").status_code == 401


def test_the_page_leads_nowhere_else(client: Client, alice: User) -> None:
    assert page(client, next="https://evil.example/").headers["Location"] == "/"


def test_the_page_says_what_is_wrong(client: Client, alice: User) -> None:
    answer = page(client, password="x")
    assert answer.status_code == 200
    assert "The user name or the password is wrong." in answer.text


def test_the_admin_has_no_door_of_its_own(client: Client, db: None) -> None:
    answer = client.get("/admin/login/?next=/admin/")
    assert answer.headers["Location"] == "/accounts/login/?next=/admin/"


def test_a_session_needs_the_csrf_token(alice: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    refused = client.post("/auth/tokens", {"name": "x"}, content_type="application/json")
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (403, "AUTH_FORBIDDEN")
    client.get("/accounts/login/")
    sent = {"X-CSRFToken": client.cookies["csrftoken"].value}
    allowed = client.post("/auth/tokens", {"name": "x"}, content_type="application/json", headers=sent)
    assert allowed.status_code == 201


def test_a_form_without_the_csrf_token_is_a_page(alice: User) -> None:
    answer = page(Client(enforce_csrf_checks=True))
    assert answer.status_code == 403
    assert "This form has expired" in answer.text


def page(client: Client, username: str = "alice", password: str = PASSWORD, next: str = "") -> Any:
    return client.post("/accounts/login/", {"username": username, "password": password, "next": next})
