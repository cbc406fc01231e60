"""Legal rows of diagnosis, as its own parts would have left them: incidents, alerts, and diagnoses of any status."""

import json
import zlib
from datetime import UTC, datetime, timedelta
from typing import Any

from diagnosis.models import Alert, Diagnosis, Evidence, Incident, Report, Step, ToolCall
from diagnosis.states import CANCELLED, FAILED, FIRING, PENDING, RESOLVED, RUNNING, SUCCEEDED, Stage
from jobs.models import Job
from oncall.models import User
from tests.diagnosis.report_body import make_report_body
from tests.jobs.factories import make_job

T0 = datetime(2026, 3, 1, 10, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
JOB_STATUS = {PENDING: "queued", RUNNING: "running", SUCCEEDED: "succeeded", FAILED: "failed", CANCELLED: "cancelled"}
# What an attempt of each status has behind it.
STAGES_DONE = {PENDING: 0, RUNNING: 5, SUCCEEDED: len(Stage.ALL), FAILED: 3, CANCELLED: 2}
SUMMARIES = [
    "CheckoutSlow is firing for checkout since 10:02.",
    "Latency p95 of checkout rose from 0.2 s to 2.4 s at 10:02.",
    "The connection pool of payment is at 100 % since 10:01.",
    "payment was deployed at 09:58 (version 4.2.0).",
]


def make_incident(owner: User, **fields: Any) -> Incident:
    values = {"title": "CheckoutSlow on checkout", "opened_at": T0 + 2 * MINUTE, **fields}
    if values.get("state") == RESOLVED:
        values.setdefault("resolved_at", T0 + 30 * MINUTE)
    return Incident.objects.create(owner_user=owner, **values)


def make_alert(owner: User, *, incident: Incident | None = None, **fields: Any) -> Alert:
    """A firing alert of an incident (made when none is given)."""
    number = Alert.objects.count()
    values = {
        "source": "alertmanager",
        "fingerprint": f"{number:016x}",
        "name": "CheckoutSlow",
        "service": "checkout",
        "state": FIRING,
        "starts_at": T0 + 2 * MINUTE,
        "last_seen_at": T0 + 3 * MINUTE,
        "labels": {"alertname": "CheckoutSlow", "service": "checkout", "severity": "page"},
        "annotations": {"summary": "Checkout is slow."},
        "generator_url": "http://prometheus.example/graph?g0.expr=up",
        **fields,
    }
    if values["state"] == RESOLVED:
        values.setdefault("ends_at", T0 + 30 * MINUTE)
    return Alert.objects.create(owner_user=owner, incident=incident or make_incident(owner), **values)


def make_diagnosis(
    owner: User,
    *,
    status: str = SUCCEEDED,
    alert: Alert | None = None,
    report: dict[str, Any] | None = None,
    job: dict[str, Any] | None = None,
    **fields: Any,
) -> Diagnosis:
    """A diagnosis of any status with its job, and the steps, tool calls, evidence and report that the status needs.

    ``job`` are arguments for ``make_job``; ``report`` stands in for the sample; ``fields`` are columns.
    """
    values: dict[str, Any] = {
        "query": "Why is checkout slow?",
        "incident": alert.incident if alert else None,
        "starts_at": T0 - 60 * MINUTE,
        "ends_at": T0 + 15 * MINUTE,
        **fields,
    }
    diagnosis = Diagnosis(owner_user=owner, alert=alert, **_columns(status), **values)
    resource = ("aiops_diagnostic", diagnosis.pk)
    events = 0 if status in (PENDING, CANCELLED) else 2
    made = {"status": JOB_STATUS[status], "kind": "aiops_diagnosis", "resource": resource, "events": events}
    diagnosis.job_id = make_job(owner=owner, **{**made, **(job or {})}).pk
    diagnosis.save(force_insert=True)
    _leave_traces(diagnosis, STAGES_DONE[status])
    if status == SUCCEEDED:
        body = report or make_report_body(diagnosis)
        Report.objects.create(diagnosis=diagnosis, body=body, created_at=T0 + 16 * MINUTE)
        Diagnosis.objects.filter(pk=diagnosis.pk).update(verdict=body["verdict"])
        diagnosis.refresh_from_db()
    return diagnosis


def job_of(diagnosis: Diagnosis) -> Job:
    return Job.objects.get(pk=diagnosis.job_id)


def _columns(status: str) -> dict[str, Any]:
    done = STAGES_DONE[status]
    columns: dict[str, Any] = {"status": status, "stage": Stage.ALL[done - 1] if done else ""}
    if status != PENDING:
        columns["started_at"] = T0 + 15 * MINUTE
    if status not in (PENDING, RUNNING):
        columns["completed_at"] = T0 + 16 * MINUTE
    if status == FAILED:
        columns["error_message"] = "The worker was lost."
    return columns


def _leave_traces(diagnosis: Diagnosis, stages: int) -> None:
    at = T0 + 15 * MINUTE
    for stage in Stage.ALL[:stages]:
        Step.objects.create(diagnosis=diagnosis, stage=stage, result={}, finished_at=at)
    if stages <= Stage.ALL.index(Stage.FACTS):
        return
    call = ToolCall.objects.create(
        diagnosis=diagnosis,
        number=1,
        stage=Stage.FACTS,
        tool="metric",
        source="src_1",
        arguments={"node": "checkout", "family": "latency"},
        arguments_hash="0" * 64,
        status=ToolCall.Status.OK,
        bytes=120,
        answer=zlib.compress(json.dumps([{"node": "checkout"}]).encode()),
        created_at=at,
    )
    for number, summary in enumerate(SUMMARIES, start=1):
        Evidence.objects.create(
            diagnosis=diagnosis,
            number=number,
            key=f"sample/{number}",
            kind="metric",
            node="checkout",
            tool_call=call,
            starts_at=T0,
            ends_at=T0 + 15 * MINUTE,
            summary=summary,
            stats={"peak": 2.4},
            sample={},
            hash=f"{number:064x}",
            created_at=at,
        )
