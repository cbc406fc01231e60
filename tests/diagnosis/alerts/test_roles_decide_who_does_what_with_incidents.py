"""Readers see; responders acknowledge, note, diagnose and refresh; admins make, change and delete rules."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from diagnosis.models import Diagnosis, Incident, IncidentNote, Rule
from diagnosis.rules import create_rule
from jobs.models import Job
from jobs.transitions import request_cancel
from oncall.models import Team, User
from tests.diagnosis.alerts.deliveries import alert, deliver

pytestmark = pytest.mark.django_db
JSON = "application/json"
Call = Callable[[Client], Any]


@pytest.fixture
def statuses(
    alice: User, bob: User, rita: User, charlie: User, team: Team, as_user: Callable[[User], Client]
) -> Callable[[Call], list[int]]:
    """The answers to the outsider, reader, responder and admin; the least role first: nobody profits from another."""
    return lambda call: [call(as_user(user)).status_code for user in (charlie, rita, bob, alice)]


@pytest.fixture
def incident(team: Team) -> Incident:
    deliver(team, alert())
    return Incident.objects.get()


def test_seeing(statuses: Callable[[Call], list[int]], incident: Incident) -> None:
    assert statuses(lambda client: client.get(f"/aiops/incidents/{incident.pk}")) == [403, 200, 200, 200]
    path = f"/aiops/alerts/{incident.alerts.get().pk}"
    assert statuses(lambda client: client.get(path)) == [403, 200, 200, 200]


def test_acknowledging(statuses: Callable[[Call], list[int]], incident: Incident, bob: User) -> None:
    path = f"/aiops/incidents/{incident.pk}:acknowledge"
    assert statuses(lambda client: client.post(path)) == [403, 403, 200, 200]
    incident.refresh_from_db()
    assert incident.acknowledged_by_id == bob.pk, "the first one stays"


def test_the_first_acknowledgement_is_shown_to_all(
    as_user: Callable[[User], Client], incident: Incident, alice: User, bob: User, rita: User
) -> None:
    first = as_user(bob).post(f"/aiops/incidents/{incident.pk}:acknowledge").json()
    again = as_user(alice).post(f"/aiops/incidents/{incident.pk}:acknowledge").json()
    assert first["acknowledgedBy"] == again["acknowledgedBy"] == "bob"
    assert first["acknowledgedAt"] == again["acknowledgedAt"] is not None
    assert as_user(rita).get(f"/aiops/incidents/{incident.pk}").json()["acknowledgedByUserId"] == bob.pk


def test_noting(statuses: Callable[[Call], list[int]], incident: Incident) -> None:
    path = f"/aiops/incidents/{incident.pk}:note"
    assert statuses(lambda client: client.post(path, {"text": "seen"}, content_type=JSON)) == [403, 403, 200, 200]
    assert [note.author.username for note in IncidentNote.objects.all()] == ["bob", "alice"]


@pytest.mark.parametrize("text", ["", "   ", "x" * 10_001, "\x00", None, 1.5, [], {}])
def test_a_note_must_say_something_bounded(
    as_user: Callable[[User], Client], incident: Incident, bob: User, text: Any
) -> None:
    path = f"/aiops/incidents/{incident.pk}:note"
    answer = as_user(bob).post(path, {"text": text}, content_type=JSON)
    assert answer.status_code == 400 and answer.json()["errors"][0]["attr"] == "text"


def test_a_secret_in_a_note_is_masked(as_user: Callable[[User], Client], incident: Incident, bob: User) -> None:
    path = f"/aiops/incidents/{incident.pk}:note"
    as_user(bob).post(path, {"text": "try password=hunter2hunter2"}, content_type=JSON)
    assert "hunter2" not in IncidentNote.objects.get().text


@pytest.mark.parametrize("verb", ["diagnose", "refresh"])
def test_diagnosing(statuses: Callable[[Call], list[int]], incident: Incident, verb: str) -> None:
    path = f"/aiops/incidents/{incident.pk}:{verb}"
    assert statuses(lambda client: client.post(path)) == [403, 403, 202, 409]
    diagnosis = Diagnosis.objects.get()
    assert diagnosis.incident_id == incident.pk and diagnosis.owner_user_id == incident.owner_user_id


def test_a_diagnosis_comes_with_its_job_and_a_second_is_refused_by_name(
    as_user: Callable[[User], Client], incident: Incident, bob: User
) -> None:
    client = as_user(bob)
    begun = client.post(f"/aiops/incidents/{incident.pk}:diagnose").json()
    assert begun["diagnosis"]["incidentId"] == incident.pk
    assert begun["diagnosis"]["alertId"] == incident.alerts.get().pk
    assert begun["backgroundJob"]["id"] == begun["diagnosis"]["jobId"] == Job.objects.get().pk
    refused = client.post(f"/aiops/incidents/{incident.pk}:refresh")
    assert refused.status_code == 409 and begun["diagnosis"]["id"] in refused.json()["errors"][0]["detail"]
    request_cancel(Job.objects.get().pk)
    refreshed = client.post(f"/aiops/incidents/{incident.pk}:refresh").json()["diagnosis"]
    assert refreshed["endsAt"] == refreshed["createdAt"], "up to now"


def test_rules(statuses: Callable[[Call], list[int]], team: Team) -> None:
    new = {"name": "pages", "matchers": {"severity": ["page", "critical"], "team": "ops"}, "ownerUserId": team.pk}
    assert statuses(lambda client: client.post("/aiops/rules", new, content_type=JSON)) == [403, 403, 403, 201]
    path = f"/aiops/rules/{Rule.objects.get().pk}"
    assert statuses(lambda client: client.get(path)) == [403, 200, 200, 200]
    off = {"enabled": False}
    assert statuses(lambda client: client.patch(path, off, content_type=JSON)) == [403, 403, 403, 200]
    assert not Rule.objects.get().enabled
    assert statuses(lambda client: client.delete(path)) == [403, 403, 403, 204]
    assert not Rule.objects.exists()


def test_the_name_of_a_rule_is_there_once(as_user: Callable[[User], Client], alice: User) -> None:
    client = as_user(alice)
    create_rule(owner_id=alice.pk, name="a", matchers={})
    other = create_rule(owner_id=alice.pk, name="b", matchers={})
    assert client.post("/aiops/rules", {"name": "a", "matchers": {}}, content_type=JSON).status_code == 409
    assert client.patch(f"/aiops/rules/{other.pk}", {"name": "a"}, content_type=JSON).status_code == 409


@pytest.mark.parametrize(
    "matchers",
    [
        None, [], "x", 1, {"a": 1}, {"a": None}, {"a": []}, {"a": [1]}, {"a": {"b": "c"}}, {"": "x"}, {"a": "\x00"},
        {"a": "x" * 2_001}, {f"l{n}": "x" for n in range(51)}, {"a": ["x"] * 51},
    ],
)  # fmt: skip
def test_matchers_are_labels_and_texts(as_user: Callable[[User], Client], alice: User, matchers: Any) -> None:
    answer = as_user(alice).post("/aiops/rules", {"name": "x", "matchers": matchers}, content_type=JSON)
    assert answer.status_code == 400 and answer.json()["errors"][0]["attr"].startswith("matchers")


def test_a_team_token_acts_for_its_team_alone(
    alertmanager: Callable[..., Any], as_user: Callable[[User], Client], charlie: User
) -> None:
    assert alertmanager({"version": "4", "alerts": [alert()]}).status_code == 200
    assert as_user(charlie).get("/aiops/incidents").json()["results"] == []
