"""Whose incident, alert or rule it is, and whether there is one, cannot be told from an answer: the same bytes."""

from collections.abc import Callable
from urllib.parse import quote

import pytest
from django.test import Client

from diagnosis.models import Alert, Incident
from diagnosis.rules import create_rule
from oncall.api.ids import new_id
from oncall.models import Team, User
from tests.diagnosis.alerts.deliveries import alert, deliver

pytestmark = pytest.mark.django_db
VERBS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
NONSENSE = ["x", "1", "None", "' OR 1=1 --", "%00", "\x00", "a:b", "é" * 10, "9" * 5000, "..", " "]
PATHS = {
    "/aiops/alerts/{}": "alert",
    "/aiops/incidents/{}": "inc",
    "/aiops/incidents/{}:acknowledge": "inc",
    "/aiops/incidents/{}:note": "inc",
    "/aiops/incidents/{}:diagnose": "inc",
    "/aiops/incidents/{}:refresh": "inc",
    "/aiops/rules/{}": "rule",
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("path", list(PATHS))
def test_equal_bytes(as_user: Callable[[User], Client], team: Team, charlie: User, path: str, verb: str) -> None:
    deliver(team, alert())
    rule = create_rule(owner_id=team.pk, name="all", matchers={})
    foreign = {"alert": Alert.objects.get().pk, "inc": Incident.objects.get().pk, "rule": rule.pk}
    ids = [foreign[PATHS[path]], new_id(PATHS[path]), *(quote(text, safe="") for text in NONSENSE)]
    outsider = as_user(charlie)
    answers = {
        (answer.status_code, answer.content)
        for answer in (
            outsider.generic(verb, path.format(pk), '{"text": "x"}', content_type="application/json") for pk in ids
        )
    }
    assert len(answers) == 1
    status, body = answers.pop()
    assert (status, b"AUTH_FORBIDDEN" in body) in {(403, True), (405, False)}


def test_an_owner_of_somebody_else_in_a_rule(
    as_user: Callable[[User], Client], team: Team, alice: User, charlie: User
) -> None:
    answers = {
        as_user(charlie)
        .post("/aiops/rules", {"name": "x", "matchers": {}, "ownerUserId": owner}, content_type="application/json")
        .content
        for owner in (team.pk, alice.pk, 10**9)
    }
    assert len(answers) == 1 and b"AUTH_FORBIDDEN" in answers.pop()


def test_an_incident_of_somebody_else_in_a_filter(as_user: Callable[[User], Client], team: Team, charlie: User) -> None:
    deliver(team, alert())
    client = as_user(charlie)
    answers = {
        client.get(f"/aiops/alerts?incidentId={pk}").content for pk in (Incident.objects.get().pk, new_id("inc"), "x")
    }
    assert len(answers) == 1
