"""The sample incident as rows: stored resolved, with a recorded source of its own, and a diagnosis for a real job."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from diagnosis.models import Alert, DataSource, Incident
from diagnosis.replay.folder import read_folder
from diagnosis.states import RESOLVED
from diagnosis.transitions import start_diagnosis

FOLDER = Path(__file__).parent / "checkout-latency"
FILES = ("incident.yaml", "metrics.csv", "changes.jsonl")
SOURCE_NAME = "Sample recording"
# A diagnosis has priority over index jobs; this one is to find the sample runbooks indexed.
HEAD_START = timedelta(seconds=8)


def load_sample_incident(owner_id: int, *, now: datetime | None = None) -> Incident:
    """Make the sample incident of an owner, and queue its diagnosis; all or nothing."""
    moment = now or timezone.now()
    told = read_folder(FOLDER).subject
    alerts = {alert["id"]: alert for alert in (told["alert"], *told["alerts"])}.values()
    with transaction.atomic():
        incident = Incident.objects.create(
            owner_user_id=owner_id,
            title=told["incident"]["title"],
            state=RESOLVED,
            opened_at=min(_moment(alert["startsAt"]) for alert in alerts),
            resolved_at=max(_moment(alert["endsAt"]) for alert in alerts),
            created_at=moment,
            updated_at=moment,
        )
        rows = {alert["id"]: _store(alert, incident, moment) for alert in alerts}
        DataSource.objects.create(
            owner_user_id=owner_id,
            name=SOURCE_NAME,
            kind=DataSource.Kind.RECORDED,
            incident=incident,
            recording={name: (FOLDER / name).read_text(encoding="utf-8") for name in FILES},
        )
        start_diagnosis(
            owner_id=owner_id,
            incident=incident,
            alert=rows[told["alert"]["id"]],
            starts_at=_moment(told["window"]["start"]),
            ends_at=_moment(told["window"]["end"]),
            available_at=moment + HEAD_START,
            now=moment,
        )
    return incident


def _store(alert: dict[str, Any], incident: Incident, now: datetime) -> Alert:
    ends_at = _moment(alert["endsAt"])
    return Alert.objects.create(
        owner_user_id=incident.owner_user_id,
        incident=incident,
        source="sample",
        fingerprint=alert["id"][:64],
        name=alert["name"],
        service=alert["service"],
        state=RESOLVED,
        starts_at=_moment(alert["startsAt"]),
        ends_at=ends_at,
        last_seen_at=ends_at,
        labels=alert["labels"],
        annotations=alert["annotations"],
        generator_url=alert["generatorUrl"],
        created_at=now,
        updated_at=now,
    )


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
