"""Stage 1: what is this about? The service, the families that the alert speaks of, the window, the time it names.

Result: {"target": service or "", "alertName", "alertAt": seconds | null, "families": [...], "window": {...},
"baseline": {...}, "notes": [sentences]}.
"""

import re
from collections.abc import Mapping
from typing import Any

from diagnosis.engine.families import families_of_alert
from diagnosis.engine.instructions import orders_in, texts_of
from diagnosis.engine.limits import MAX_ALERTS, MAX_NAME
from diagnosis.engine.spans import baseline_before
from diagnosis.engine.times import as_json, clock, iso, seconds_of, window_of
from diagnosis.engine.types import Finding, Found, State, Tools, Window

# Labels that name the service, the clearest first.
_SERVICE_LABELS = ("service", "app", "deployment", "statefulset", "job", "container")


def run(state: State, tools: Tools) -> Found:
    subject = state.subject
    alert = subject.get("alert") or {}
    query = str(subject.get("query") or "")
    window = window_of(subject.get("window") or {})
    alert_at = seconds_of(alert.get("startsAt"))
    window = window or _window_around(alert_at)
    target = service_of(alert) or _service_named_in(query, tools)
    labels = alert.get("labels") or {}
    result = {
        "target": target,
        "alertName": str(alert.get("name") or labels.get("alertname") or ""),
        "alertAt": alert_at,
        "families": families_of_alert(str(alert.get("name") or ""), query),
        "window": as_json(window),
        "baseline": as_json(baseline_before(window, subject.get("baseline"))),
        "notes": _notes(target, alert, query),
    }
    return Found(result, [_question(query, window, target), *_alerts_said(subject), *_orders(subject)])


def _question(query: str, window: Window, target: str) -> Finding:
    """What was asked is evidence of what was looked at: a diagnosis that finds nothing cites this."""
    about = f"about {target}" if target else "about every service"
    asked = f" ({query[:200]})" if query else ""
    summary = f"Asked {about}, from {iso(window.start)} to {iso(window.end)}{asked}."
    return Finding("question", "question", summary, node=target, window=window)


def service_of(alert: Mapping[str, Any]) -> str:
    """The service that an alert names, by itself or by its labels; empty where it names none."""
    labels = alert.get("labels") or {}
    named = [alert.get("service"), *(labels.get(label) for label in _SERVICE_LABELS)]
    return next((str(name)[:MAX_NAME] for name in named if name), "")


def alert_key(alert: Mapping[str, Any]) -> str:
    at = seconds_of(alert.get("startsAt"))
    return f"alert:{alert.get('id') or alert.get('name')}:{iso(at) if at is not None else ''}"[:300]


def alert_finding(alert: Mapping[str, Any]) -> Finding:
    """The alert itself is evidence: it fired."""
    at = seconds_of(alert.get("startsAt"))
    service = service_of(alert)
    since = f" since {clock(at)}" if at is not None else ""
    name = str(alert.get("name") or "without a name")[:MAX_NAME]
    summary = f"Alert {name} on {service or 'no named service'} fires{since}."
    window = Window(at, seconds_of(alert.get("endsAt")) or at) if at is not None else None
    return Finding(alert_key(alert), "alert", summary, node=service, window=window)


def _alerts_said(subject: Mapping[str, Any]) -> list[Finding]:
    alerts = [alert for alert in (subject.get("alert"), *(subject.get("alerts") or ())) if alert]
    found = {alert_key(alert): alert_finding(alert) for alert in alerts}
    return list(found.values())[:MAX_ALERTS]


def _orders(subject: Mapping[str, Any]) -> list[Finding]:
    texts = [("the question", str(subject.get("query") or "")), *texts_of("the alert", subject.get("alert"))]
    for number, alert in enumerate((subject.get("alerts") or ())[:MAX_ALERTS], start=1):
        texts += texts_of(f"alert {number} of the incident", alert)
    return orders_in(texts)


def _window_around(alert_at: float | None) -> Window:
    at = alert_at if alert_at is not None else 0.0
    return Window(at - 3600.0, at + 900.0)


def _service_named_in(query: str, tools: Tools) -> str:
    """The service of the catalogue whose name stands in the question; the longest, so that no part of a name wins."""
    topology = tools.topology()
    names = {*topology.kinds, *(node for edge in topology.edges for node in edge)}
    found = [n for n in names if re.search(rf"(?<![\w-]){re.escape(n)}(?![\w-])", query, re.IGNORECASE)]
    return max(found, key=lambda name: (len(name), name), default="")


def _notes(target: str, alert: Mapping[str, Any], query: str) -> list[str]:
    notes = []
    if not target:
        notes.append("The alert or question names no service: every service of the catalogue was a candidate.")
    if not alert and query:
        notes.append("There is no alert: the window comes from the question, not from a rule.")
    return notes
