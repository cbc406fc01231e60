"""Bodies of Alertmanager's webhook, version 4, and the short way to have one taken in."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from diagnosis.alerts import TakenIn, take_in
from diagnosis.webhook import read_delivery
from oncall.models import User

T0 = datetime(2026, 3, 1, 10, 0, tzinfo=UTC)
NOW = T0 + timedelta(minutes=30)
YEAR_1 = "0001-01-01T00:00:00Z"
GROUP = '{}:{alertname="CheckoutSlow"}'


def at(minute: float) -> str:
    return (T0 + timedelta(minutes=minute)).isoformat().replace("+00:00", "Z")


def alert(name: str = "CheckoutSlow", *, start: float = 0, end: float | None = None, **fields: Any) -> dict[str, Any]:
    """One alert that began ``start`` minutes after T0; with ``end`` it is resolved. ``labels`` are added."""
    labels = {"alertname": name, "service": "checkout", **fields.pop("labels", {})}
    return {
        "status": "firing" if end is None else "resolved",
        "labels": labels,
        "annotations": {"summary": f"{name} on {labels['service']}"},
        "startsAt": at(start),
        "endsAt": YEAR_1 if end is None else at(end),
        "generatorURL": "http://prometheus.example/graph?g0.expr=up",
        "fingerprint": f"{name}/{labels['service']}"[:64],
        **fields,
    }


def body(*alerts: Any, group: str = GROUP, **fields: Any) -> dict[str, Any]:
    return {
        "version": "4",
        "groupKey": group,
        "truncatedAlerts": 0,
        "status": "firing",
        "receiver": "oncall",
        "groupLabels": {},
        "commonLabels": {},
        "commonAnnotations": {},
        "externalURL": "http://alertmanager.example",
        "alerts": list(alerts),
        **fields,
    }


def deliver(owner: User, *alerts: Any, group: str = GROUP, now: datetime = NOW) -> TakenIn:
    return take_in(read_delivery(body(*alerts, group=group), now=now), owner_id=owner.pk, now=now)


def minutes(*values: float) -> Sequence[datetime]:
    return [T0 + timedelta(minutes=value) for value in values]
