"""A team's token acts as its maker in that one team, in the role the maker has now; a personal one as the maker."""

from collections.abc import Callable

import pytest
from django.test import Client

from oncall.models import Membership, Team, User
from oncall.owners import owner_ids_with_role, visible_owner_ids
from oncall.tokens import token_user
from tests.factories import make_team, make_token

pytestmark = [pytest.mark.urls("tests.oncall.probe_urls"), pytest.mark.django_db]
AsToken = Callable[[str], Client]


def ids(client: Client) -> set[str]:
    return {row["id"] for row in client.get("/probe/rows").json()["results"]}


def test_a_personal_token_sees_what_its_maker_sees(as_token: AsToken, alice: User, team: Team) -> None:
    own, text = make_token(alice)
    shared, _ = make_token(alice, owner=team)
    assert ids(as_token(text)) == {own.pk, shared.pk}


def test_a_teams_token_sees_neither_its_maker_nor_other_teams(as_token: AsToken, alice: User, team: Team) -> None:
    other = make_team("other", admin=alice)
    make_token(alice)
    make_token(alice, owner=other)
    shared, text = make_token(alice, owner=team)
    assert ids(as_token(text)) == {shared.pk}
    user, _ = token_user(text)
    assert visible_owner_ids(user) == owner_ids_with_role(user, "admin") == {team.pk}


def test_the_role_is_the_one_of_now(as_token: AsToken, alice: User, team: Team, set_role: Callable[..., None]) -> None:
    shared, text = make_token(alice, owner=team)
    client = as_token(text)
    assert client.post(f"/probe/rows/{shared.pk}").status_code == 200
    set_role(alice, "reader")
    assert client.get(f"/probe/rows/{shared.pk}").status_code == 200
    assert client.post(f"/probe/rows/{shared.pk}").status_code == 403


def test_who_left_the_team_has_no_token_of_it(as_token: AsToken, alice: User, team: Team) -> None:
    _, text = make_token(alice, owner=team)
    Membership.objects.filter(user=alice).delete()
    assert as_token(text).get("/probe/rows").status_code == 401


@pytest.mark.parametrize("who", ["maker", "team"])
def test_nothing_opens_for_the_inactive(as_token: AsToken, alice: User, team: Team, who: str) -> None:
    _, text = make_token(alice, owner=team)
    User.objects.filter(pk=alice.pk if who == "maker" else team.pk).update(is_active=False)
    assert as_token(text).get("/probe/rows").status_code == 401


def test_a_token_made_by_a_team_row_opens_nothing(as_token: AsToken, alice: User, team: Team) -> None:
    token, text = make_token(alice, owner=team)
    type(token).objects.filter(pk=token.pk).update(user=team)
    assert as_token(text).get("/probe/rows").status_code == 401


def test_a_teams_token_makes_tokens_of_that_team_only(as_token: AsToken, alice: User, team: Team) -> None:
    _, text = make_token(alice, owner=team)
    client = as_token(text)
    made = client.post("/auth/tokens", {"name": "next"}, content_type="application/json")
    assert made.json()["ownerUserId"] == team.pk
    body = {"name": "mine", "ownerUserId": alice.pk}
    assert client.post("/auth/tokens", body, content_type="application/json").status_code == 403


def test_me_names_the_team_of_the_token(as_token: AsToken, alice: User, team: Team) -> None:
    make_team("other", admin=alice)
    _, text = make_token(alice, owner=team)
    assert [found["id"] for found in as_token(text).get("/auth/me").json()["teams"]] == [team.pk]
