"""Readers read; responders begin, cancel and retry; an outsider does nothing."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from diagnosis.models import Diagnosis
from diagnosis.states import FAILED, PENDING
from oncall.models import Team, User
from tests.diagnosis.factories import make_diagnosis
from tests.factories import make_token

pytestmark = pytest.mark.django_db
As = Callable[[User], Client]
READ = ["", "/events", "/evidence-chain", "/report"]


def statuses(people: dict[str, User], as_user: As, call: Callable[[Client], Any]) -> dict[str, int]:
    """The outsider first, and the least role before the most: nobody profits from what another did."""
    return {name: call(as_user(people[name])).status_code for name in ("charlie", "rita", "bob", "alice")}


@pytest.mark.parametrize("below", READ)
def test_reading(people: dict[str, User], as_user: As, diagnosis: Diagnosis, below: str) -> None:
    found = statuses(people, as_user, lambda client: client.get(f"/aiops/diagnostics/{diagnosis.pk}{below}"))
    assert found == {"charlie": 403, "rita": 200, "bob": 200, "alice": 200}


def test_the_list_holds_the_scope(people: dict[str, User], as_user: As, diagnosis: Diagnosis) -> None:
    for name, sees in {"alice": True, "bob": True, "rita": True, "charlie": False}.items():
        rows = as_user(people[name]).get("/aiops/diagnostics").json()["results"]
        assert ([row["id"] for row in rows] == [diagnosis.pk]) is sees


def test_beginning_for_the_team(people: dict[str, User], as_user: As, team: Team) -> None:
    body = {"query": "Why?", "ownerUserId": team.pk}
    call = lambda client: client.post("/aiops/diagnostics", body, content_type="application/json")  # noqa: E731
    assert statuses(people, as_user, call) == {"charlie": 403, "rita": 403, "bob": 202, "alice": 202}


@pytest.mark.parametrize(("verb", "status", "answer"), [("cancel", PENDING, 200), ("retry", FAILED, 202)])
def test_steering(people: dict[str, User], as_user: As, team: Team, verb: str, status: str, answer: int) -> None:
    path = f"/aiops/diagnostics/{make_diagnosis(team, status=status).pk}:{verb}"
    for name, expected in {"charlie": 403, "rita": 403, "bob": answer}.items():
        assert as_user(people[name]).post(path).status_code == expected, name


def test_a_reading_token_reads_and_an_ingest_token_does_not(
    alice: User, as_token: Callable[[str], Client], team: Team, diagnosis: Diagnosis
) -> None:
    one = f"/aiops/diagnostics/{diagnosis.pk}"
    for scope, (get, cancel) in {"read": (200, 403), "full": (200, 200), "alerts:write": (403, 403)}.items():
        client = as_token(make_token(alice, owner=team, scope=scope, name=scope)[1])
        assert (client.get(one).status_code, client.post(f"{one}:cancel").status_code) == (get, cancel), scope
