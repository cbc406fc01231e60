"""In every field of a new diagnosis somebody else's id, a random one and nonsense give the same 403, and no row."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from diagnosis.models import DataSource, Diagnosis
from documents.bases import default_base
from jobs.models import Job
from oncall.api.ids import new_id
from oncall.models import Team, User
from tests.diagnosis.factories import make_alert
from tests.factories import make_person

pytestmark = pytest.mark.django_db
JSON = "application/json"


def foreign(stranger: User) -> dict[str, Any]:
    source = DataSource.objects.create(owner_user=stranger, name="prom", kind="prometheus", url="http://p.example")
    return {
        "alertId": make_alert(stranger).pk,
        "ownerUserId": stranger.pk,
        "knowledgeBaseIds": [default_base(stranger.pk).pk],
        "dataSourceIds": [source.pk],
    }


RANDOM = {
    "alertId": [new_id("alert"), "", "\x00", "x" * 5_000, "None"],
    "ownerUserId": [10**9, -1, 0, 2**80],
    "knowledgeBaseIds": [[new_id("kb")], [""], ["\x00"], ["x" * 5_000]],
    "dataSourceIds": [[new_id("src")], [""], ["\x00"], ["x" * 5_000]],
}


@pytest.mark.parametrize("field", RANDOM)
def test_the_same_bytes(as_user: Callable[[User], Client], alice: User, charlie: User, field: str) -> None:
    client = as_user(charlie)
    answers = {
        (answer.status_code, answer.content)
        for value in [foreign(alice)[field], *RANDOM[field]]
        for answer in [client.post("/aiops/diagnostics", {"query": "Why?", field: value}, content_type=JSON)]
    }
    assert len(answers) == 1
    status, body = answers.pop()
    assert status == 403 and b"AUTH_FORBIDDEN" in body
    assert not Diagnosis.objects.exists() and not Job.objects.exists()


def test_one_foreign_id_among_ones_own_is_enough(client: Client, alice: User, charlie: User) -> None:
    bases = [default_base(alice.pk).pk, default_base(charlie.pk).pk]
    answer = client.post("/aiops/diagnostics", {"query": "Why?", "knowledgeBaseIds": bases}, content_type=JSON)
    assert answer.status_code == 403


def test_a_reader_of_a_team_may_not_use_its_alert_to_begin(
    as_user: Callable[[User], Client], rita: User, bob: User, team: Team
) -> None:
    body = {"alertId": make_alert(team).pk}
    assert as_user(rita).post("/aiops/diagnostics", body, content_type=JSON).status_code == 403
    assert as_user(bob).post("/aiops/diagnostics", body, content_type=JSON).status_code == 202


def test_an_alert_begins_a_diagnosis_of_its_owner_only(client: Client, alice: User, team: Team) -> None:
    body = {"alertId": make_alert(team).pk, "ownerUserId": alice.pk}
    answer = client.post("/aiops/diagnostics", body, content_type=JSON)
    assert answer.status_code == 400 and answer.json()["errors"][0]["attr"] == "ownerUserId"
    stranger = make_person("dora")
    assert not Diagnosis.objects.filter(owner_user__in=[alice, stranger]).exists()
