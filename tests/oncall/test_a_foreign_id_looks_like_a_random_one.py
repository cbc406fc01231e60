"""Whose row it is, and whether there is one, cannot be told from the answer: the same bytes on every verb."""

from collections.abc import Callable
from urllib.parse import quote

import pytest
from django.test import Client

from oncall.api.ids import new_id
from oncall.models import Team, User
from tests.factories import make_token

pytestmark = [pytest.mark.urls("tests.oncall.probe_urls"), pytest.mark.django_db]
NONSENSE = ["x", "1", "None", "' OR 1=1 --", "%00", "\x00", "a:b", "é" * 10, "9" * 5000, "..", " "]
VERBS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
As = Callable[[User], Client]


@pytest.mark.parametrize("verb", VERBS)
def test_equal_bytes(as_user: As, alice: User, charlie: User, team: Team, verb: str) -> None:
    foreign, _ = make_token(alice, owner=team)
    outsider = as_user(charlie)
    answers = {
        (response.status_code, response.content)
        for pk in [foreign.pk, new_id("tok"), *NONSENSE]
        for response in [outsider.generic(verb, f"/probe/rows/{quote(pk, safe='')}")]
    }
    assert len(answers) == 1
    status, body = answers.pop()
    assert status == 403 and b"AUTH_FORBIDDEN" in body


@pytest.mark.parametrize("verb", VERBS)
def test_the_owner_and_the_team_reach_the_row(as_user: As, alice: User, bob: User, team: Team, verb: str) -> None:
    row, _ = make_token(alice, owner=team)
    for user in (alice, bob):
        assert as_user(user).generic(verb, f"/probe/rows/{row.pk}").status_code == 200


def test_a_reader_reads_and_does_not_steer(as_user: As, alice: User, rita: User, team: Team) -> None:
    row, _ = make_token(alice, owner=team)
    reader = as_user(rita)
    assert reader.get(f"/probe/rows/{row.pk}").status_code == 200
    refused = reader.post(f"/probe/rows/{row.pk}")
    unknown = reader.post(f"/probe/rows/{new_id('tok')}")
    assert refused.status_code == 403
    assert refused.content == unknown.content


def test_a_verb_after_the_id(as_user: As, alice: User, charlie: User, team: Team) -> None:
    row, _ = make_token(alice, owner=team)
    assert as_user(alice).post(f"/probe/rows/{row.pk}:poke").status_code == 200
    assert as_user(charlie).post(f"/probe/rows/{row.pk}:poke").status_code == 403
    assert as_user(charlie).post("/probe/rows/x:nonsense").status_code == 403


def test_the_list_holds_the_scope_and_no_more(as_user: As, alice: User, bob: User, charlie: User, team: Team) -> None:
    ours, _ = make_token(alice, owner=team)
    hers, _ = make_token(alice)
    rows = {user.username: _ids(as_user(user)) for user in (alice, bob, charlie)}
    assert rows == {"alice": {ours.pk, hers.pk}, "bob": {ours.pk}, "charlie": set()}


def test_staff_see_no_more_through_the_api(as_user: As, alice: User, charlie: User, team: Team) -> None:
    make_token(alice, owner=team)
    charlie.is_staff = charlie.is_superuser = True
    charlie.save()
    assert _ids(as_user(charlie)) == set()


def _ids(client: Client) -> set[str]:
    return {row["id"] for row in client.get("/probe/rows").json()["results"]}
