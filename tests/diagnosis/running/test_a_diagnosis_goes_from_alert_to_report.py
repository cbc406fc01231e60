"""An alert, a recorded source and the sample knowledge lead, by a real job, to a report that cites its evidence."""

import pytest

from diagnosis.models import Diagnosis, Evidence, Step, ToolCall
from diagnosis.states import Stage
from diagnosis.transitions import start_diagnosis
from documents.bases import create_base
from documents.uploads import upload
from jobs.models import JobEvent
from jobs.testing import run_until_idle
from oncall.models import User
from tests.diagnosis.running.recordings import make_recorded_incident

pytestmark = pytest.mark.django_db

RUNBOOK = b"""---
alerts: [CheckoutLatencyHigh]
---
# Checkout latency after a payment deploy

## Put it right

- Roll the payment deploy back: `deployctl rollback payment`.
"""


def diagnosed(owner: User) -> Diagnosis:
    upload(create_base(owner_id=owner.pk, name="Runbooks"), file_name="checkout-latency.md", data=RUNBOOK)
    run_until_idle()  # A diagnosis has priority: it would not wait for the runbook.
    incident, alert = make_recorded_incident(owner)
    diagnosis, _ = start_diagnosis(owner_id=owner.pk, incident=incident, alert=alert)
    run_until_idle()
    diagnosis.refresh_from_db()
    return diagnosis


def test_it_names_the_service_that_broke(alice: User) -> None:
    diagnosis = diagnosed(alice)
    assert (diagnosis.status, diagnosis.error_message) == ("succeeded", "")
    report = diagnosis.report.body
    assert report["rootCause"]["node"] == "payment"
    assert diagnosis.verdict == report["verdict"] in ("likely", "confirmed")
    assert "rollback payment" in str(report["actions"])


def test_every_stage_leaves_one_checkpoint_and_its_events(alice: User) -> None:
    diagnosis = diagnosed(alice)
    assert list(Step.objects.filter(diagnosis=diagnosis).values_list("stage", flat=True)) == list(Stage.ALL)
    events = JobEvent.objects.filter(job_id=diagnosis.job_id)
    for type_ in ("stage.started", "stage.finished"):
        said = [payload["stage"] for payload in events.filter(type=type_).values_list("payload", flat=True)]
        assert said == list(Stage.ALL)
    assert events.filter(type="facts.ready").count() == 1
    assert events.filter(type="report.ready").count() == 1


def test_every_tool_call_and_evidence_is_numbered_and_told_once(alice: User) -> None:
    diagnosis = diagnosed(alice)
    events = JobEvent.objects.filter(job_id=diagnosis.job_id)
    calls = ToolCall.objects.filter(diagnosis=diagnosis)
    assert list(calls.values_list("number", flat=True)) == list(range(1, calls.count() + 1))
    for type_ in ("tool.requested", "tool.finished"):
        assert [payload["call"] for payload in events.filter(type=type_).values_list("payload", flat=True)] == list(
            range(1, calls.count() + 1)
        )
    evidence = Evidence.objects.filter(diagnosis=diagnosis)
    told = [payload["evidence"] for payload in events.filter(type="evidence.added").values_list("payload", flat=True)]
    assert told == [f"E{number}" for number in evidence.values_list("number", flat=True)]


def test_progress_never_goes_back(alice: User) -> None:
    diagnosis = diagnosed(alice)
    assert diagnosis.stage == Stage.PUBLISH


def test_without_any_source_it_says_what_is_missing_and_invents_no_cause(alice: User) -> None:
    diagnosis, _ = start_diagnosis(owner_id=alice.pk, query="Why is checkout slow?")
    run_until_idle()
    diagnosis.refresh_from_db()
    assert diagnosis.status == "succeeded"
    report = diagnosis.report.body
    assert (report["verdict"], report["rootCause"]) == ("inconclusive", None)
    assert report["dataGaps"]
