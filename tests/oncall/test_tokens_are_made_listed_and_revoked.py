"""``/auth/tokens``: the text is shown once, the hash stored; owner, teammate and outsider see what is theirs."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError
from django.test import Client
from django.utils import timezone
from rest_framework.exceptions import AuthenticationFailed

from oncall.models import Team, Token, User
from oncall.tokens import token_user
from tests.factories import make_token

pytestmark = pytest.mark.django_db
As = Callable[[User], Client]


def make(client: Client, **body: Any) -> Any:
    return client.post("/auth/tokens", {"name": "ci", **body}, content_type="application/json")


def listed(client: Client) -> set[str]:
    return {row["id"] for row in client.get("/auth/tokens").json()["results"]}


def test_the_text_is_shown_once_and_never_stored(as_user: As, as_token: Any, alice: User) -> None:
    made = make(as_user(alice)).json()
    assert set(made) == {
        "id", "name", "scope", "ownerUserId", "createdByUserId", "createdAt", "expiry", "lastUsedAt", "token",
    }  # fmt: skip
    assert made["id"].startswith("tok_") and made["expiry"] is None and made["ownerUserId"] == alice.pk
    assert as_token(made["token"]).get("/auth/me").json()["username"] == "alice"
    row = Token.objects.values().get()
    assert made["token"] not in map(str, row.values())
    assert made["token"] not in as_user(alice).get("/auth/tokens").text


def test_who_sees_and_revokes_which(as_user: As, alice: User, bob: User, charlie: User, team: Team) -> None:
    own, _ = make_token(alice)
    shared, _ = make_token(alice, owner=team)
    assert listed(as_user(alice)) == {own.pk, shared.pk}
    for other in (bob, charlie):
        assert listed(as_user(other)) == set()
        bodies = {as_user(other).delete(f"/auth/tokens/{pk}").content for pk in (own.pk, shared.pk, "tok_0", "%00")}
        assert len(bodies) == 1 and b"AUTH_FORBIDDEN" in bodies.pop()
    assert as_user(alice).delete(f"/auth/tokens/{shared.pk}").status_code == 204
    assert listed(as_user(alice)) == {own.pk}


def test_another_admin_of_the_team_may_revoke(as_user: As, alice: User, bob: User, team: Team, set_role: Any) -> None:
    shared, _ = make_token(alice, owner=team)
    set_role(bob, "admin")
    assert as_user(bob).delete(f"/auth/tokens/{shared.pk}").status_code == 204


def test_a_revoked_token_opens_nothing(as_user: As, as_token: Any, alice: User) -> None:
    row, text = make_token(alice)
    as_user(alice).delete(f"/auth/tokens/{row.pk}")
    assert as_token(text).get("/auth/me").status_code == 401


@pytest.mark.parametrize("who", ["bob", "rita", "charlie"])
def test_only_an_admin_makes_tokens_of_a_team(as_user: As, request: Any, team: Team, who: str, charlie: User) -> None:
    refused = make(as_user(request.getfixturevalue(who)), ownerUserId=team.pk)
    unknown = make(as_user(request.getfixturevalue(who)), ownerUserId=10**9)
    assert refused.status_code == 403
    assert refused.content == unknown.content


@pytest.mark.parametrize(
    ("body", "attr"),
    [
        ({"name": ""}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"name": "a\x00"}, "name"),
        ({"scope": "all"}, "scope"),
        ({"ownerUserId": "me"}, "ownerUserId"),
        ({"ownerUserId": 10**30}, "ownerUserId"),
        ({"expiry": "2020-01-01T00:00:00Z"}, "expiry"),
        ({"expiry": "soon"}, "expiry"),
    ],
)
def test_a_bad_value_is_named_and_leaves_nothing(as_user: As, alice: User, body: dict[str, Any], attr: str) -> None:
    response = make(as_user(alice), **body)
    assert (response.status_code, response.json()["errors"][0]["attr"]) == (400, attr)
    assert not Token.objects.exists()


def test_it_expires_at_the_moment_that_was_asked_for(as_user: As, alice: User) -> None:
    moment = timezone.now() + timedelta(days=1)
    made = make(as_user(alice), expiry=moment.isoformat()).json()
    assert token_user(made["token"], now=moment - timedelta(seconds=1))[0] == alice
    with pytest.raises(AuthenticationFailed):
        token_user(made["token"], now=moment)


def test_the_last_use_is_written_at_most_once_a_minute(
    alice: User, django_assert_num_queries: Callable[..., Any]
) -> None:
    row, text = make_token(alice)
    now = timezone.now()
    for seconds, writes in ((0, 1), (30, 0), (59, 0), (61, 1)):
        with django_assert_num_queries(1 + writes):
            token_user(text, now=now + timedelta(seconds=seconds))
    row.refresh_from_db()
    assert row.last_used_at == now + timedelta(seconds=61)


def test_a_busy_database_does_not_refuse_a_reader(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    _, text = make_token(alice)

    def locked(*args: Any, **kwargs: Any) -> None:
        raise DatabaseError("database is locked")

    monkeypatch.setattr("django.db.models.query.QuerySet.update", locked)
    assert token_user(text)[0] == alice
