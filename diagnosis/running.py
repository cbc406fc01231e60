"""A diagnosis, stage by stage. Each result is committed once, under the job's fence, with its evidence and its events.

A second attempt goes on after the last checkpoint: it reads what stands and asks nothing that was answered.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.utils import timezone

from diagnosis.claims import checked_report
from diagnosis.engine.stages import STAGES
from diagnosis.engine.types import Finding, Found, State
from diagnosis.log import DiagnosisLog
from diagnosis.models import Alert, Diagnosis, Evidence, Step, ToolCall
from diagnosis.states import Stage
from diagnosis.tools.calls import Calls
from diagnosis.tools.live import LiveTools
from diagnosis.transitions import enter_stage, publish
from jobs.handlers import JobCancelled, JobContext


def run_diagnosis(context: JobContext) -> dict[str, Any]:
    """Do the diagnosis that the job names. Raises ``JobCancelled`` when it is gone or another job does it."""
    diagnosis = _diagnosis_of(context)
    log = DiagnosisLog(context)
    calls = Calls(diagnosis, context, log)
    tools = LiveTools(diagnosis, calls)
    state = _state_so_far(diagnosis)
    for number, stage in enumerate(Stage.ALL):
        if stage in state.results:
            continue
        context.raise_if_cancelled()
        calls.stage = stage
        log.say("stage.started", {"stage": stage})
        context.progress(number / len(Stage.ALL), stage)
        found = STAGES[stage](state, tools)
        state = _checkpoint(context, log, diagnosis, stage, found, state)
    report = checked_report(state.of(Stage.PUBLISH)["report"], [f"E{number}" for number in state.evidence.values()])
    context.finish(lambda: publish(diagnosis.pk, report))
    return {"diagnosisId": diagnosis.pk, "verdict": report["verdict"]}


def _diagnosis_of(context: JobContext) -> Diagnosis:
    rows = Diagnosis.objects.select_related("alert", "incident").filter(pk=context.job.resource_id)
    diagnosis = rows.first()
    if diagnosis is None or diagnosis.job_id != context.job.id:
        raise JobCancelled("The diagnosis is gone, or another job does it.")
    return diagnosis


# --- The state ------------------------------------------------------------------------------------------------------


def _state_so_far(diagnosis: Diagnosis) -> State:
    return State(
        subject=subject_of(diagnosis),
        results={step.stage: step.result for step in diagnosis.steps.all()},
        evidence=dict(diagnosis.evidence.order_by("number").values_list("key", "number")),
    )


def subject_of(diagnosis: Diagnosis) -> dict[str, Any]:
    """What the diagnosis is about, as the engine reads it."""
    incident = diagnosis.incident
    alerts = incident.alerts.order_by("starts_at", "pk")[:200] if incident is not None else []
    return {
        "query": diagnosis.query,
        "window": {"start": _iso(diagnosis.starts_at), "end": _iso(diagnosis.ends_at)},
        "alert": _alert(diagnosis.alert) if diagnosis.alert is not None else None,
        "incident": {"id": incident.pk, "title": incident.title} if incident is not None else None,
        "alerts": [_alert(alert) for alert in alerts],
    }


def _alert(alert: Alert) -> dict[str, Any]:
    return {
        "id": alert.pk,
        "name": alert.name,
        "service": alert.service,
        "startsAt": _iso(alert.starts_at),
        "endsAt": _iso(alert.ends_at) if alert.ends_at is not None else None,
        "labels": alert.labels,
        "annotations": alert.annotations,
        "generatorUrl": alert.generator_url,
    }


def _iso(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")


# --- The checkpoint -------------------------------------------------------------------------------------------------


def _checkpoint(
    context: JobContext, log: DiagnosisLog, diagnosis: Diagnosis, stage: str, found: Found, state: State
) -> State:
    """Write what a stage found, all of it or nothing; the state that the next stage reads."""
    now = timezone.now()
    evidence = dict(state.evidence)
    # As a second attempt would read it, so that both go on from the very same.
    result = json.loads(json.dumps(dict(found.result)))
    with context.fenced():
        enter_stage(diagnosis.pk, stage, now=now)
        Step.objects.create(diagnosis=diagnosis, stage=stage, result=result, finished_at=now)
        for finding in found.findings:
            if finding.key not in evidence:
                evidence[finding.key] = len(evidence) + 1
                _store(diagnosis, finding, evidence[finding.key], now)
                log.say("evidence.added", _told(finding, evidence[finding.key]))
        for type_, payload in found.events:
            log.say(type_, payload)
        log.say("stage.finished", {"stage": stage})
    return replace(state, results={**state.results, stage: result}, evidence=evidence)


def _store(diagnosis: Diagnosis, finding: Finding, number: int, now: datetime) -> None:
    call = ToolCall.objects.filter(diagnosis=diagnosis, number=finding.call).first() if finding.call else None
    window = finding.window
    Evidence.objects.create(
        diagnosis=diagnosis,
        number=number,
        key=finding.key,
        kind=finding.kind,
        node=finding.node,
        tool_call=call,
        starts_at=_moment(window.start) if window is not None else None,
        ends_at=_moment(window.end) if window is not None else None,
        summary=finding.summary,
        stats=dict(finding.stats),
        sample=dict(finding.sample),
        hash=_hash(finding),
        created_at=now,
    )


def _hash(finding: Finding) -> str:
    said: Mapping[str, Any] = {"summary": finding.summary, "stats": finding.stats, "sample": finding.sample}
    return hashlib.sha256(json.dumps(said, sort_keys=True, default=dict).encode()).hexdigest()


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, tz=timezone.get_default_timezone())


def _told(finding: Finding, number: int) -> dict[str, Any]:
    return {"evidence": f"E{number}", "kind": finding.kind, "node": finding.node, "summary": finding.summary}
