"""Taking alerts in: one delivery is filed in one transaction, with its incidents, links and the diagnoses it begins.

An alert is one row per (owner, source, fingerprint, startsAt). Deliveries repeat, come late and out of order; the rows
end the same: what was told to be over stays over, and an end that is told counts more than one that is implied. The
owner's ``AlertIntake`` row is the lock, so that deliveries at the same moment make one incident.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from diagnosis.delivered import Delivered
from diagnosis.incidents import settle
from diagnosis.intake import lock_intake, note_webhook
from diagnosis.models import Alert, Incident
from diagnosis.occurrences import batches, end_superseded, first_of, link_recurrences, read_histories, rewrite
from diagnosis.placing import Placing
from diagnosis.rules import begin_diagnoses
from diagnosis.states import FIRING, OPEN, RESOLVED
from diagnosis.webhook import Delivery, Invalid

ALERTMANAGER: Final = "alertmanager"
_CONTENT: Final = ("name", "service", "labels", "annotations", "generator_url", "payload")
_WRITTEN: Final = [
    *_CONTENT, "state", "ends_at", "superseded", "group_key", "last_seen_at", "deliveries", "updated_at",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class TakenIn:
    """What became of one delivery.

    ``received`` counts all alerts in it: each was created, updated, a heartbeat, or invalid. ``resolved`` counts those
    of the first two that it told to be over. ``incidents`` are the ids of the incidents concerned.
    """

    received: int
    created: int
    updated: int
    resolved: int
    heartbeats: int
    invalid: list[Invalid]
    incidents: list[str]


@dataclass(slots=True)
class _Filing:
    """The rows of one delivery: ``new`` are not stored yet, ``changed`` are, ``repeated`` say nothing new."""

    rows: dict[tuple[str, datetime], Alert]
    new: list[Alert] = field(default_factory=list)
    changed: dict[str, Alert] = field(default_factory=dict)
    repeated: dict[str, int] = field(default_factory=dict)
    again: dict[str, Alert] = field(default_factory=dict)  # Fires again after it was stale or over.
    updated: int = 0
    resolved: int = 0


def take_in(
    delivery: Delivery,
    *,
    owner_id: int,
    source: str = ALERTMANAGER,
    by_webhook: bool = True,
    now: datetime | None = None,
) -> TakenIn:
    """File what ``delivery`` holds for its owner; all of it or, when the database fails, nothing."""
    moment = now or timezone.now()
    with transaction.atomic():
        intake = lock_intake(owner_id)
        if by_webhook:
            note_webhook(intake, heartbeat=delivery.heartbeats > 0, now=moment)
        filing, incident_ids = _file(delivery, owner_id=owner_id, source=source, now=moment)
    return TakenIn(
        received=delivery.received,
        created=len(filing.new),
        updated=filing.updated,
        resolved=filing.resolved,
        heartbeats=delivery.heartbeats,
        invalid=delivery.invalid,
        incidents=sorted(incident_ids),
    )


def _file(delivery: Delivery, *, owner_id: int, source: str, now: datetime) -> tuple[_Filing, set[str]]:
    stored = Alert.objects.filter(owner_user_id=owner_id, source=source)
    filing = _Filing(_stored_rows(stored, delivery.alerts))
    for alert in delivery.alerts:
        row = filing.rows.get(alert.key)
        if row is None:
            row = Alert(owner_user_id=owner_id, source=source, group_key=delivery.group_key, created_at=now)
            _create(alert, row, filing, now=now)
        else:
            _update(alert, row, filing, group_key=delivery.group_key, now=now)
    _write(filing, now=now)
    incident_ids = {row.incident_id for row in filing.rows.values() if row.incident_id}
    incident_ids |= _store_new(filing, stored, delivery.group_key, now=now)
    settle(incident_ids, now=now)
    begin_diagnoses(incident_ids, fresh=[*filing.new, *filing.again.values()], now=now)
    return filing, incident_ids


def _stored_rows(stored: QuerySet[Alert], alerts: Sequence[Delivered]) -> dict[tuple[str, datetime], Alert]:
    rows = {}
    for batch in batches(alerts):
        same = stored.filter(
            fingerprint__in={alert.fingerprint for alert in batch}, starts_at__in={alert.starts_at for alert in batch}
        )
        rows.update({(row.fingerprint, row.starts_at): row for row in same})
    wanted = {alert.key for alert in alerts}
    return {key: row for key, row in rows.items() if key in wanted}


def _create(alert: Delivered, row: Alert, filing: _Filing, *, now: datetime) -> None:
    row.last_seen_at = row.updated_at = now
    _take_over(alert, row)
    filing.rows[alert.key] = row
    filing.new.append(row)
    filing.resolved += row.state == RESOLVED


def _update(alert: Delivered, row: Alert, filing: _Filing, *, group_key: str, now: datetime) -> None:
    """Write into ``row`` what ``alert`` adds to it, and note what has to be stored of that."""
    before = (row.state, row.ends_at, row.superseded, row.group_key, row.payload)
    row.deliveries += 1
    row.last_seen_at = max(row.last_seen_at, now)
    row.group_key = row.group_key or group_key
    if not _is_outdated(alert, row):
        _take_over(alert, row)
    filing.updated += 1
    filing.resolved += row.state == RESOLVED and (before[0] != RESOLVED or row.superseded != before[2])
    if row._state.adding:
        return
    if row.state == FIRING != before[0]:
        filing.again[row.pk] = row
    elif row.state != FIRING:
        filing.again.pop(row.pk, None)
    if before == (row.state, row.ends_at, row.superseded, row.group_key, row.payload):
        filing.repeated[row.pk] = filing.repeated.get(row.pk, 0) + 1
    else:
        row.updated_at = now
        filing.changed[row.pk] = row


def _is_outdated(alert: Delivered, row: Alert) -> bool:
    """Whether ``row`` was told to be over at a time of which ``alert`` knows nothing."""
    if row.state != RESOLVED or row.superseded or row.ends_at is None:
        return False
    if alert.ends_at is not None:
        return alert.ends_at < row.ends_at
    return alert.seen_at is None or alert.seen_at <= row.ends_at


def _take_over(alert: Delivered, row: Alert) -> None:
    for name in _CONTENT:
        setattr(row, name, getattr(alert, name))
    row.fingerprint, row.starts_at = alert.key
    # A firing that a newer one has superseded stays so: only a told end is news of it.
    if alert.state == RESOLVED or not row.superseded:
        row.state, row.ends_at, row.superseded = alert.state, alert.ends_at, False


def _write(filing: _Filing, *, now: datetime) -> None:
    """Store the rows that changed; those that only came again need no more than one statement for all."""
    rewrite(filing.changed.values(), _WRITTEN)
    times: dict[int, list[str]] = {}
    for pk, count in filing.repeated.items():
        if pk not in filing.changed:
            times.setdefault(count, []).append(pk)
    for count, ids in times.items():
        for batch in batches(ids):
            seen = {"last_seen_at": now, "deliveries": F("deliveries") + count}
            Alert.objects.filter(pk__in=batch).update(**seen)


def _store_new(filing: _Filing, stored: QuerySet[Alert], group_key: str, *, now: datetime) -> set[str]:
    """Find incidents for the new rows and those that fire again, and store them; gives the incidents concerned."""
    histories = read_histories(stored, sorted({row.fingerprint for row in filing.new}))
    superseded = end_superseded(stored, filing.new, histories, now=now)
    for row in superseded:
        filing.again.pop(row.pk, None)
    again = _without_incident(filing.again.values())
    concerned = {row.incident_id for row in superseded}
    if filing.new or again:
        placing = Placing([*filing.new, *again], group_key=group_key, histories=histories, now=now)
        concerned |= placing.place([*filing.new, *again])
        placing.store()
    for row in filing.new:
        row.recurrence_of_id = first_of(row, histories)
    Alert.objects.bulk_create(filing.new)
    Alert.objects.bulk_update(again, ["incident"])
    link_recurrences(stored, filing.new, histories)
    return concerned


def _without_incident(again: Iterable[Alert]) -> list[Alert]:
    """Those that fire again after their incident was over."""
    rows = list(again)
    ids = Incident.objects.filter(pk__in={row.incident_id for row in rows}, state=OPEN).values_list("pk", flat=True)
    still_open = set(ids)
    return [row for row in rows if row.incident_id not in still_open]
