"""The chain holds task, steps, calls, evidence, report and links, no answer of a tool, and no more than its bounds."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from diagnosis.models import Diagnosis, Evidence
from diagnosis.states import PENDING, Stage
from jobs.models import Job
from oncall.models import Team, User
from tests.diagnosis.factories import make_alert, make_diagnosis

pytestmark = pytest.mark.django_db


def chain(client: Client, diagnosis: Diagnosis) -> dict[str, Any]:
    answer = client.get(f"/aiops/diagnostics/{diagnosis.pk}/evidence-chain")
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = answer.json()
    return found


def test_whole(client: Client, team: Team, django_assert_max_num_queries: Any) -> None:
    alert = make_alert(team)
    diagnosis = make_diagnosis(team, alert=alert)
    with django_assert_max_num_queries(11):
        found = chain(client, diagnosis)
    assert list(found) == ["task", "steps", "toolCalls", "evidence", "report", "truncated", "links"]
    assert found["task"]["id"] == diagnosis.pk
    assert [step["stage"] for step in found["steps"]] == list(Stage.ALL)
    (call,) = found["toolCalls"]
    assert call["arguments"] == {"node": "checkout", "family": "latency"} and "answer" not in call
    assert [row["id"] for row in found["evidence"]] == ["E1", "E2", "E3", "E4"]
    assert found["evidence"][0]["toolCall"] == 1 and "key" not in found["evidence"][0]
    assert found["report"]["verdict"] == "likely" and found["truncated"] is False
    own = f"/aiops/diagnostics/{diagnosis.pk}"
    assert found["links"] == {
        "diagnosis": own,
        "job": f"/background-jobs/{diagnosis.job_id}",
        "events": f"{own}/events",
        "eventStream": f"{own}/events:stream",
        "report": f"{own}/report",
        "incident": f"/aiops/incidents/{alert.incident_id}",
        "retryOf": None,
    }


def test_of_one_that_waits_and_of_one_whose_job_was_pruned(client: Client, alice: User) -> None:
    found = chain(client, make_diagnosis(alice, status=PENDING))
    assert (found["steps"], found["evidence"], found["report"], found["links"]["report"]) == ([], [], None, None)
    done = make_diagnosis(alice)
    Job.objects.all().delete()
    assert chain(client, done)["links"]["job"] is None


def test_bounded(client: Client, diagnosis: Diagnosis) -> None:
    rows = [
        Evidence(
            diagnosis=diagnosis, number=n, key=f"k{n}", kind="metric", summary="s", hash="0", created_at=timezone.now()
        )
        for n in range(5, 700)
    ]
    Evidence.objects.bulk_create(rows)
    found = chain(client, diagnosis)
    assert len(found["evidence"]) == 500 and found["truncated"] is True
