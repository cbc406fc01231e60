"""Each status has its words and its next step; facts, evidence and report stand there as far as they are known."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from diagnosis.models import Diagnosis
from diagnosis.states import CANCELLED, FAILED, PENDING, RUNNING, SUCCEEDED
from jobs.models import Job
from oncall.models import Team, User
from tests.diagnosis.factories import SUMMARIES, make_diagnosis
from tests.diagnosis.report_body import BODY, inconclusive_body

SignIn = Callable[[User], Client]
Make = Callable[..., Diagnosis]
FACTS = {name: BODY["facts"][name] for name in ("expression", "alerts", "restarts", "changes", "links")}


def page(client: Client, diagnosis: Diagnosis) -> str:
    return client.get(f"/diagnoses/{diagnosis.pk}/").content.decode()


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (PENDING, "Waiting for a worker."),
        (RUNNING, "stage 5 of 10"),
        (FAILED, "The worker was lost."),
        (CANCELLED, "It was cancelled."),
        (SUCCEEDED, "Conclusion"),
    ],
)
def test_each_status_has_its_words(as_user: SignIn, alice: User, diagnosed: Make, status: str, said: str) -> None:
    seen = page(as_user(alice), diagnosed(status=status))
    assert said in seen
    assert ("sse-connect" in seen) == (status in (PENDING, RUNNING))


def test_a_failed_attempt_that_is_repeated_says_why_and_when(as_user: SignIn, alice: User, diagnosed: Make) -> None:
    diagnosis = diagnosed(status=PENDING, error_message="The source is away.")
    Job.objects.filter(pk=diagnosis.job_id).update(available_at=timezone.now() + timedelta(seconds=30))
    seen = page(as_user(alice), diagnosis)
    assert "The last attempt failed:" in seen and "The source is away." in seen


def test_the_facts_are_there_as_soon_as_they_were_said(as_user: SignIn, alice: User, diagnosed: Make) -> None:
    client = as_user(alice)
    diagnosis = diagnosed(status=RUNNING, events=[("facts.ready", FACTS)])
    for path in (f"/diagnoses/{diagnosis.pk}/", f"/incidents/{diagnosis.incident_id}/"):
        seen = client.get(path).content.decode()
        assert "histogram_quantile" in seen and "It must hold for 1 min." in seen
        assert "payment was deployed at 09:58 (version 4.2.0)." in seen


def test_evidence_stands_where_citations_lead(as_user: SignIn, alice: User, diagnosed: Make) -> None:
    seen = page(as_user(alice), diagnosed())
    for number, summary in enumerate(SUMMARIES, start=1):
        assert f'href="#E{number}"' in seen and seen.count(f'id="E{number}"') == 1 and summary in seen


def test_the_incident_has_the_alerts_own_graph_and_the_verdict(as_user: SignIn, alice: User, diagnosed: Make) -> None:
    diagnosis = diagnosed()
    seen = as_user(alice).get(f"/incidents/{diagnosis.incident_id}/").content.decode()
    assert "<svg" in seen and "Likely" in seen and f"/diagnoses/{diagnosis.pk}/#E1" in seen


def test_inconclusive_looks_as_finished_as_any_other(as_user: SignIn, alice: User, diagnosed: Make) -> None:
    seen = page(as_user(alice), diagnosed(report=inconclusive_body()))
    assert "Inconclusive" in seen and "succeeded</span>" in seen and "Ruled out" in seen


def test_one_without_an_incident_has_its_question_for_a_title(as_user: SignIn, alice: User, team: Team) -> None:
    diagnosis = make_diagnosis(team, status=RUNNING, query="Why is the moon blue?")
    assert "<bdi>Why is the moon blue?</bdi></h1>" in page(as_user(alice), diagnosis)
