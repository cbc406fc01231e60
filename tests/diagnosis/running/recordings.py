"""A small recorded incident: checkout calls payment, payment was deployed and then slow; a neighbour is just busy."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from diagnosis.models import Alert, DataSource, Incident
from oncall.models import User
from tests.diagnosis.factories import make_alert, make_incident

START = datetime(2026, 3, 4, 8, 0, tzinfo=UTC)
ALERTED = START + timedelta(minutes=70)
STEP = 30
STEPS = 170
SLOW_FROM = 130


def recording(*, title: str = "Checkout is slow") -> dict[str, str]:
    """The files of an incident folder, as text by name."""
    return {"incident.yaml": _incident(title), "metrics.csv": _metrics(), "changes.jsonl": _changes()}


def _incident(title: str) -> str:
    told: dict[str, Any] = {
        "title": title,
        "window": {"start": _iso(START), "end": _iso(START + timedelta(seconds=STEP * STEPS))},
        "alert": {"name": "CheckoutLatencyHigh", "service": "checkout", "startsAt": _iso(ALERTED)},
        "services": ["checkout", "payment", "search"],
        "edges": [["checkout", "payment"], ["checkout", "search"]],
    }
    return json.dumps(told)  # JSON is YAML.


def _metrics() -> str:
    lines = ["time,service,family,name,value"]
    for number in range(STEPS):
        at = _iso(START + timedelta(seconds=STEP * number))
        slow = number >= SLOW_FROM
        wiggle = (number * 7 % 11) / 1000
        lines += [
            f"{at},checkout,latency,p95,{(2.4 if slow else 0.2) + wiggle:.3f}",
            f"{at},payment,latency,p95,{(2.1 if slow else 0.1) + wiggle:.3f}",
            f"{at},payment,saturation,pool,{(1.0 if number >= SLOW_FROM - 2 else 0.4) + wiggle / 10:.4f}",
            f"{at},search,latency,p95,{0.05 + wiggle:.3f}",
            f"{at},search,cpu,usage,{0.9 + wiggle:.3f}",
            f"{at},checkout,traffic,requests,{40 + number % 3}",
            f"{at},payment,traffic,requests,{38 + number % 4}",
        ]
    return "\n".join(lines) + "\n"


def _changes() -> str:
    at = _iso(START + timedelta(seconds=STEP * (SLOW_FROM - 6)))
    return json.dumps({"service": "payment", "kind": "deploy", "at": at, "version": "2.4.0", "url": ""}) + "\n"


def make_recorded_incident(owner: User) -> tuple[Incident, Alert]:
    """An incident of ``owner`` with its alert and a recorded source of its own."""
    incident = make_incident(owner)
    alert = make_alert(owner, incident=incident, name="CheckoutLatencyHigh", service="checkout", starts_at=ALERTED)
    DataSource.objects.create(
        owner_user=owner, name="recorded", kind=DataSource.Kind.RECORDED, incident=incident, recording=recording()
    )
    return incident, alert


def _iso(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")
