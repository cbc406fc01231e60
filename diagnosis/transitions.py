"""Beginning, retrying and following diagnoses: the only writer of a diagnosis' status.

Each is guarded UPDATEs in one ``atomic()`` block. A diagnosis follows its job word for word; its job is the newest one,
and only that one moves it.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Case, Q, Value, When
from django.utils import timezone

from diagnosis.models import Alert, DataSource, Diagnosis, Incident, Report
from diagnosis.states import CANCELLED, DIAGNOSIS_ACTIVE, DIAGNOSIS_STATUS_OF_JOB, FAILED, PENDING, RUNNING
from documents.models import KnowledgeBase
from jobs.enqueue import enqueue, retry_by_hand
from jobs.models import Job
from jobs.resources import Change, NotRetryable

KIND = "aiops_diagnosis"
RESOURCE = "aiops_diagnostic"
BEFORE_ALERT = timedelta(minutes=60)
AFTER_ALERT = timedelta(minutes=15)
LAST_HOUR = timedelta(hours=1)

_ACTIVE = sorted(DIAGNOSIS_ACTIVE)


class ActiveDiagnosis(Exception):
    """The incident has a diagnosis that is not finished; ``diagnosis_id`` is that one."""

    def __init__(self, diagnosis_id: str) -> None:
        super().__init__(f"This incident is being diagnosed already: {diagnosis_id}.")
        self.diagnosis_id = diagnosis_id


def start_diagnosis(
    *,
    owner_id: int,
    query: str = "",
    incident: Incident | None = None,
    alert: Alert | None = None,
    starts_at: datetime | None = None,
    ends_at: datetime | None = None,
    knowledge_base_ids: Collection[str] | None = None,
    data_source_ids: Collection[str] | None = None,
    available_at: datetime | None = None,
    now: datetime | None = None,
) -> tuple[Diagnosis, Job]:
    """A pending diagnosis and its job, in one transaction.

    Without a window: from an hour before the alert to a quarter after, never beyond now; without an alert the last
    hour. Omitted ids: all enabled ones of the owner. ``available_at``: not before. Raises ``ActiveDiagnosis``, and
    ``ValueError`` for a window that does not go forward.
    """
    moment = now or timezone.now()
    incident = incident or (alert.incident if alert is not None else None)
    start, end = _window(alert, starts_at, ends_at, moment)
    values = {
        "owner_user_id": owner_id,
        "query": query,
        "incident": incident,
        "alert": alert,
        "starts_at": start,
        "ends_at": end,
        "knowledge_base_ids": _bases_of(owner_id) if knowledge_base_ids is None else sorted(knowledge_base_ids),
        "data_source_ids": _sources_of(owner_id, incident) if data_source_ids is None else sorted(data_source_ids),
    }
    return _create(values, available_at, moment)


def retry_diagnosis(diagnosis_id: str, *, now: datetime | None = None) -> tuple[Diagnosis, Job]:
    """A new diagnosis that does the work of a failed or cancelled one again, and names it.

    Raises ``Diagnosis.DoesNotExist``, ``NotRetryable``, ``ActiveDiagnosis``.
    """
    source = Diagnosis.objects.get(pk=diagnosis_id)
    try:
        job = retry_by_hand(source.job_id, now=now)
    except Job.DoesNotExist:
        raise NotRetryable("The job of this diagnosis is gone; begin a new diagnosis.") from None
    return Diagnosis.objects.get(pk=job.resource_id), job


def prepare_retry(diagnosis_id: str) -> str:
    """A retried job works for a new diagnosis: what the old one found stays as it was. Raises ``NotRetryable``."""
    source = Diagnosis.objects.filter(pk=diagnosis_id).first()
    if source is None:
        raise NotRetryable("The diagnosis of this job was deleted.")
    moment = timezone.now()
    copied = ("owner_user_id", "query", "incident_id", "alert_id", "starts_at", "ends_at")
    frozen = ("knowledge_base_ids", "data_source_ids")
    values = {name: getattr(source, name) for name in (*copied, *frozen)}
    try:
        return _insert({**values, "retry_of_diagnosis_id": source.pk}, moment).pk
    except ActiveDiagnosis as active:
        raise NotRetryable(str(active)) from None


def _create(values: dict[str, Any], available_at: datetime | None, moment: datetime) -> tuple[Diagnosis, Job]:
    with transaction.atomic():
        diagnosis = _insert(values, moment)
        job = enqueue(
            KIND,
            owner=diagnosis.owner_user_id,
            resource=(RESOURCE, diagnosis.pk),
            payload={"diagnosisId": diagnosis.pk},
            available_at=available_at,
            now=moment,
        )
    diagnosis.refresh_from_db()
    return diagnosis, job


def _insert(values: dict[str, Any], moment: datetime) -> Diagnosis:
    try:
        with transaction.atomic():
            return Diagnosis.objects.create(**values, created_at=moment, updated_at=moment)
    except IntegrityError:
        # Two at once: the constraint let one through.
        same = Diagnosis.objects.filter(incident_id=_incident_id(values), status__in=_ACTIVE)
        active = same.values_list("pk", flat=True).first() if _incident_id(values) else None
        if active is None:
            raise
        raise ActiveDiagnosis(active) from None


def _incident_id(values: dict[str, Any]) -> str | None:
    incident = values.get("incident")
    return incident.pk if incident is not None else values.get("incident_id")


def _window(
    alert: Alert | None, starts_at: datetime | None, ends_at: datetime | None, now: datetime
) -> tuple[datetime, datetime]:
    if alert is not None:
        default_start, default_end = alert.starts_at - BEFORE_ALERT, min(now, alert.starts_at + AFTER_ALERT)
    else:
        default_start, default_end = (ends_at or now) - LAST_HOUR, now
    start, end = starts_at or default_start, ends_at or default_end
    if end <= start:
        raise ValueError("The window ends before it begins.")
    return start, end


def _bases_of(owner_id: int) -> list[str]:
    return sorted(KnowledgeBase.objects.filter(owner_user_id=owner_id).values_list("pk", flat=True))


def _sources_of(owner_id: int, incident: Incident | None) -> list[str]:
    """The owner's enabled sources; a recorded one only for its own incident, and then it alone."""
    sources = DataSource.objects.filter(owner_user_id=owner_id, enabled=True)
    recorded = sources.filter(kind=DataSource.Kind.RECORDED, incident=incident) if incident else sources.none()
    if recorded.exists():
        return sorted(recorded.values_list("pk", flat=True))
    return sorted(sources.exclude(kind=DataSource.Kind.RECORDED).values_list("pk", flat=True))


# --- While it runs --------------------------------------------------------------------------------------------------


def enter_stage(diagnosis_id: str, stage: str, *, now: datetime | None = None) -> None:
    """Say which stage a running diagnosis is in. Called under the job's fence."""
    running = Diagnosis.objects.filter(pk=diagnosis_id, status=RUNNING)
    running.update(stage=stage, updated_at=now or timezone.now())


def publish(diagnosis_id: str, report: dict[str, Any], *, now: datetime | None = None) -> None:
    """Store the report and its verdict; part of the transaction in which the job succeeds."""
    moment = now or timezone.now()
    Report.objects.create(diagnosis_id=diagnosis_id, body=report, created_at=moment)
    Diagnosis.objects.filter(pk=diagnosis_id).update(verdict=report["verdict"], updated_at=moment)


# --- Following the job ----------------------------------------------------------------------------------------------


def follow_jobs(changes: Sequence[Change], now: datetime) -> None:
    """Move diagnoses as their jobs moved: one UPDATE for all jobs that became the same."""
    _adopt([change for change in changes if change.from_status is None], now)
    groups: dict[tuple[str, str], list[str]] = {}
    for change in changes:
        status = DIAGNOSIS_STATUS_OF_JOB[change.to_status]
        groups.setdefault((status, change.error if status in (FAILED, PENDING) else ""), []).append(change.job_id)
    for (status, error), job_ids in groups.items():
        _follow(job_ids, status, error, now)


def _adopt(created: Sequence[Change], now: datetime) -> None:
    """Write the new job's id on its diagnosis: from then on it listens to that job alone."""
    if created:
        whens = [When(pk=change.resource_id, then=Value(change.job_id)) for change in created]
        pending = Diagnosis.objects.filter(pk__in=[change.resource_id for change in created], status=PENDING)
        pending.update(job_id=Case(*whens), updated_at=now)


def _follow(job_ids: Collection[str], status: str, error: str, now: datetime) -> None:
    active = status in DIAGNOSIS_ACTIVE
    values: dict[str, Any] = {"status": status, "updated_at": now, "completed_at": None if active else now}
    if status != CANCELLED:
        values["error_message"] = error
    movable = Diagnosis.objects.filter(job_id__in=list(job_ids), status__in=_ACTIVE)
    if status == RUNNING:
        movable.filter(Q(started_at=None)).update(started_at=now)
    movable.update(**values)
