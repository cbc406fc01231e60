"""``GET /aiops/alerts`` and ``/aiops/incidents``: what the caller may see, narrowed by filters that are known."""

from collections.abc import Callable

import pytest
from django.test import Client

from diagnosis.incidents import mark_stale
from diagnosis.models import Alert, Incident
from oncall.models import Team, User
from tests.diagnosis.alerts.deliveries import NOW, alert, deliver

pytestmark = pytest.mark.django_db
As = Callable[[User], Client]


def names(client: Client, path: str) -> list[str]:
    return [row["name"] for row in client.get(path).json()["results"]]


def test_alerts_by_status(team: Team, rita: User, as_user: As) -> None:
    deliver(team, alert("Stale"), group="a")
    mark_stale(NOW.replace(year=2027))
    deliver(team, alert("Firing"), group="b")
    deliver(team, alert("Over", end=5, labels={"service": "x"}), group="c")
    client = as_user(rita)
    assert names(client, "/aiops/alerts") == ["Over", "Firing", "Stale"]
    for status, name in {"firing": "Firing", "resolved": "Over", "stale": "Stale"}.items():
        assert names(client, f"/aiops/alerts?status={status}") == [name]
    incident = Alert.objects.get(name="Over").incident_id
    assert names(client, f"/aiops/alerts?incidentId={incident}") == ["Over"]


def test_incidents_by_state(team: Team, rita: User, as_user: As) -> None:
    deliver(team, alert("Firing"), alert("Also", start=1), group="b")
    deliver(team, alert("Over", end=5, labels={"service": "x"}), group="c")
    client = as_user(rita)
    (one,) = client.get("/aiops/incidents?state=open").json()["results"]
    assert (one["title"], one["alertCount"], one["firingCount"]) == ("Firing · checkout", 2, 2)
    (other,) = client.get("/aiops/incidents?state=resolved").json()["results"]
    assert (other["title"], other["firingCount"], other["resolvedAt"]) == ("Over · x", 0, "2026-03-01T10:05:00Z")


@pytest.mark.parametrize(
    ("path", "attr"),
    [
        ("/aiops/alerts?status=open", "status"),
        ("/aiops/alerts?state=firing", "state"),
        ("/aiops/incidents?state=firing", "state"),
        ("/aiops/incidents?status=open", "status"),
        ("/aiops/rules?name=x", "name"),
    ],
)
def test_what_is_not_known_is_named(alice: User, as_user: As, path: str, attr: str) -> None:
    answer = as_user(alice).get(path)
    assert answer.status_code == 400 and answer.json()["errors"][0]["attr"] == attr


def test_everybody_sees_their_own_and_their_teams(
    team: Team, alice: User, bob: User, rita: User, charlie: User, as_user: As
) -> None:
    deliver(team, alert("Team's"))
    deliver(alice, alert("Alice's"))
    for user, seen in {alice: {"Team's", "Alice's"}, bob: {"Team's"}, rita: {"Team's"}, charlie: set()}.items():
        assert set(names(as_user(user), "/aiops/alerts")) == seen
        assert len(as_user(user).get("/aiops/incidents").json()["results"]) == len(seen)


def test_one_incident_shows_what_belongs_to_it(team: Team, rita: User, bob: User, as_user: As) -> None:
    deliver(team, alert("Over", end=5), alert("Firing", start=1))
    incident = Incident.objects.get()
    as_user(bob).post(f"/aiops/incidents/{incident.pk}:note", {"text": "looking"}, content_type="application/json")
    shown = as_user(rita).get(f"/aiops/incidents/{incident.pk}").json()
    assert [one["name"] for one in shown["alerts"]] == ["Firing", "Over"], "what fires comes first"
    assert [(note["author"], note["text"]) for note in shown["notes"]] == [("bob", "looking")]
    assert shown["diagnoses"] == []


def test_one_alert_shows_what_was_delivered(team: Team, rita: User, as_user: As) -> None:
    deliver(team, alert(labels={"重要": "<b>"}))
    shown = as_user(rita).get(f"/aiops/alerts/{Alert.objects.get().pk}").json()
    assert shown["payload"]["labels"] == shown["labels"] == {
        "alertname": "CheckoutSlow", "service": "checkout", "重要": "<b>",
    }  # fmt: skip
    assert shown["payload"]["startsAt"] == "2026-03-01T10:00:00Z"
