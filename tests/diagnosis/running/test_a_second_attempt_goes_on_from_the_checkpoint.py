"""An attempt that dies at any stage leaves its checkpoints; the next ends in the same report and doubles nothing."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from diagnosis.engine.stages import STAGES
from diagnosis.engine.types import Found, State, Tools
from diagnosis.models import Diagnosis, Evidence, Step, ToolCall
from diagnosis.states import Stage
from diagnosis.transitions import start_diagnosis
from jobs.claim import reclaim
from jobs.models import JobEvent
from jobs.testing import claim_one, run_of, run_one, run_until_idle
from oncall.models import User
from tests.diagnosis.running.recordings import make_recorded_incident

pytestmark = pytest.mark.django_db


class Killed(BaseException):
    """The process is gone in the middle: nothing after this line runs."""


def begin(owner: User) -> Diagnosis:
    incident, alert = make_recorded_incident(owner)
    diagnosis, _ = start_diagnosis(owner_id=owner.pk, incident=incident, alert=alert)
    return diagnosis


def left_by(diagnosis: Diagnosis) -> dict[str, Any]:
    """Everything that a diagnosis leaves, without ids and times."""
    diagnosis.refresh_from_db()
    incident, alert = diagnosis.incident_id or "", diagnosis.alert_id or ""
    report = json.dumps(diagnosis.report.body).replace(incident, "INC").replace(alert, "ALERT")
    return {
        "report": report,
        "steps": list(Step.objects.filter(diagnosis=diagnosis).values_list("stage", flat=True)),
        "calls": list(ToolCall.objects.filter(diagnosis=diagnosis).values_list("number", "tool", "arguments")),
        "evidence": list(Evidence.objects.filter(diagnosis=diagnosis).values_list("number", "summary")),
        "events": [
            (type_, payload.get("stage"), payload.get("call"), payload.get("evidence"))
            for type_, payload in JobEvent.objects.filter(job_id=diagnosis.job_id).values_list("type", "payload")
        ],
    }


@pytest.fixture
def undisturbed(bob: User) -> dict[str, Any]:
    diagnosis = begin(bob)
    run_until_idle()
    return left_by(diagnosis)


@pytest.mark.parametrize("stage", Stage.ALL)
@pytest.mark.parametrize("when", ["before", "after"])
def test_killed_at_a_stage(
    stage: str, when: str, alice: User, undisturbed: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    diagnosis = begin(alice)
    with monkeypatch.context() as patch:
        patch.setattr("diagnosis.running.STAGES", {**STAGES, stage: _killed(STAGES[stage], when)})
        job = claim_one()
        with pytest.raises(Killed):
            _die(job)
    reclaim(now=timezone.now() + timedelta(minutes=2))
    assert run_one(claim_one(now=timezone.now() + timedelta(minutes=3))) == "succeeded"
    assert left_by(diagnosis) == undisturbed


def _killed(stage: Callable[[State, Tools], Found], when: str) -> Callable[[State, Tools], Found]:
    def killed(state: State, tools: Tools) -> Found:
        if when == "after":
            stage(state, tools)
        raise Killed

    return killed


def _die(job: Any) -> None:
    """Run the handler as a worker does until it is killed: what was said up to then may be on its way or written."""
    from diagnosis.running import run_diagnosis
    from jobs.handlers import JobContext

    run = run_of(job)
    try:
        run_diagnosis(JobContext(run))
    finally:
        run.said.write()
        run.said.written()
