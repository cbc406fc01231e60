"""Without ids a diagnosis of one's own looks into all that one may see; a team's stays with what is the team's."""

from typing import Any

import pytest
from django.test import Client

from diagnosis.models import DataSource
from documents.bases import default_base
from oncall.models import Team, User
from tests.diagnosis.factories import make_alert, make_incident

pytestmark = pytest.mark.django_db


def source(owner: User, name: str, **fields: Any) -> str:
    values = {"kind": "prometheus", "url": "http://p.example", **fields}
    return DataSource.objects.create(owner_user=owner, name=name, **values).pk


def begin(client: Client, **body: Any) -> tuple[set[str], set[str]]:
    answer = client.post("/aiops/diagnostics", {"query": "Why?", **body}, content_type="application/json")
    assert answer.status_code == 202, answer.content
    row = answer.json()["diagnosis"]
    return set(row["knowledgeBaseIds"]), set(row["dataSourceIds"])


def test_by_owner(client: Client, alice: User, charlie: User, team: Team) -> None:
    mine, ours, theirs = (default_base(owner.pk).pk for owner in (alice, team, charlie))
    my_source, our_source = source(alice, "mine"), source(team, "ours")
    source(charlie, "theirs"), source(alice, "off", enabled=False)
    assert begin(client) == ({mine, ours}, {my_source, our_source})
    assert begin(client, ownerUserId=team.pk) == ({ours}, {our_source})
    assert theirs not in begin(client)[0]


def test_an_empty_list_is_nothing(client: Client, alice: User) -> None:
    default_base(alice.pk), source(alice, "mine")
    assert begin(client, knowledgeBaseIds=[], dataSourceIds=[]) == (set(), set())


def test_a_recording_is_asked_for_its_own_incident_only_and_alone(client: Client, alice: User) -> None:
    live, incident = source(alice, "live"), make_incident(alice)
    recorded = source(alice, "recorded", kind="recorded", incident=incident, url="")
    assert begin(client)[1] == {live}
    assert begin(client, alertId=make_alert(alice, incident=incident).pk)[1] == {recorded}
    assert begin(client, alertId=make_alert(alice).pk)[1] == {live}
