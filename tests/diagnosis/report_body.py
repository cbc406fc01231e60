"""A legal report (schema version 1) as the engine would write it: checkout is slow since payment was deployed."""

import copy
import math
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from diagnosis.models import Diagnosis

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
ONSET = "2026-03-01T10:01:00Z"
WINDOW = {"start": "2026-03-01T09:00:00Z", "end": "2026-03-01T10:15:00Z"}
EVIDENCE_IDS = ["E1", "E2", "E3", "E4"]


def claim(text: str, *evidence: str) -> dict[str, Any]:
    return {"text": text, "evidence": list(evidence)}


def points(low: float, high: float, *, onset_minute: int = 61, gap: range = range(30, 34)) -> list[list[Any]]:
    """A point a minute over the window: a little noise, a rise at the onset, and a gap."""
    found: list[list[Any]] = []
    for minute in range(76):
        at = (START + timedelta(minutes=minute)).strftime("%Y-%m-%dT%H:%M:%SZ")
        noise = 1 + 0.08 * math.sin(minute * 1.7)
        value = (high if minute >= onset_minute else low) * noise
        found.append([at, None if minute in gap else float(f"{value:.6g}")])
    return found


def chart(key: str, title: str, unit: str, family: str, low: float, high: float, *evidence: str) -> dict[str, Any]:
    return {
        "key": key,
        "title": title,
        "unit": unit,
        "node": "payment" if family == "saturation" else "checkout",
        "family": family,
        "points": points(low, high),
        "onset": ONSET,
        "window": WINDOW,
        "evidence": list(evidence),
    }


ALERT = {
    "id": "alert_1",
    "name": "CheckoutSlow",
    "service": "checkout",
    "startsAt": "2026-03-01T10:02:00Z",
    "endsAt": None,
    "labels": {"alertname": "CheckoutSlow", "service": "checkout"},
    "annotations": {"summary": "Checkout is slow."},
    "generatorUrl": "http://prometheus.example/graph?g0.expr=up",
}

BODY: dict[str, Any] = {
    "schemaVersion": 1,
    "incident": {"id": "inc_1", "title": "CheckoutSlow on checkout"},
    "subject": {
        "query": "Why is checkout slow?",
        "window": WINDOW,
        "alert": ALERT,
        "incident": {"id": "inc_1", "title": "CheckoutSlow on checkout"},
        "alerts": [ALERT],
    },
    "verdict": "likely",
    "summary": claim(
        "payment ran out of database connections three minutes after its deploy; checkout waits.", "E3", "E4"
    ),
    "rootCause": {
        "node": "payment",
        "kind": "own",
        "mechanism": "change",
        "onset": ONSET,
        "evidence": ["E3", "E4"],
    },
    "candidates": [
        {
            "node": "payment",
            "kind": "own",
            "mechanism": "change",
            "score": 4.21,
            "onset": ONSET,
            "for": [claim("The connection pool is at 100 % since 10:01.", "E3"), claim("Deployed at 09:58.", "E4")],
            "against": [],
        },
        {
            "node": "checkout",
            "kind": "own",
            "mechanism": "latency",
            "score": 2.6,
            "onset": "2026-03-01T10:02:00Z",
            "for": [claim("Latency p95 rose from 0.2 s to 2.4 s.", "E2")],
            "against": [claim("Its callee payment turned anomalous a minute earlier.", "E3")],
        },
    ],
    "facts": {
        "expression": {
            "expr": 'histogram_quantile(0.95, sum by (le) (rate(http_seconds_bucket{service="checkout"}[5m]))) > 1',
            "for": 60,
            "onset": "2026-03-01T10:01:00Z",
        },
        "alerts": [claim("CheckoutSlow is firing for checkout since 10:02.", "E1")],
        "restarts": [],
        "changes": [claim("payment was deployed at 09:58 (version 4.2.0).", "E4")],
        "links": [{"label": "Runbook", "url": "https://wiki.example/checkout-slow"}],
    },
    "timeline": [
        {"at": "2026-03-01T09:58:00Z", "text": "payment was deployed (version 4.2.0).", "evidence": ["E4"]},
        {"at": ONSET, "text": "The connection pool of payment is full.", "evidence": ["E3"]},
        {"at": "2026-03-01T10:02:00Z", "text": "CheckoutSlow fires for checkout.", "evidence": ["E1"]},
    ],
    "impact": [claim("95 of 100 requests of checkout took up to 2.4 s.", "E2")],
    "changes": [
        {
            "service": "payment",
            "kind": "deploy",
            "at": "2026-03-01T09:58:00Z",
            "version": "4.2.0",
            "url": "https://git.example/payment/compare/4.1.9...4.2.0",
            "inferred": False,
            "evidence": ["E4"],
        }
    ],
    "runbooks": [
        {
            "documentId": "doc_1",
            "title": "Connection pool exhausted",
            "headingPath": ["Connection pool exhausted", "Mitigation"],
            "text": "Roll the last deploy back.\nThen raise `max_connections` only if the database has room.",
            "lines": [12, 14],
            "evidence": ["E3"],
        }
    ],
    "actions": [
        {
            "text": "Roll the last deploy back.",
            "documentId": "doc_1",
            "title": "Connection pool exhausted",
            "evidence": ["E3"],
        }
    ],
    "ruledOut": [claim("inventory was deployed too, but nothing of it changed.", "E4")],
    "unknown": ["Whether payment leaks connections or needs more of them."],
    "dataGaps": ["No logs of payment: no log source is set up."],
    "limits": [],
    "charts": [
        chart("expression", "The alert's expression", "s", "expression", 0.2, 2.4, "E2"),
        chart("payment/saturation", "Connection pool of payment", "0..1", "saturation", 0.4, 0.93, "E3"),
    ],
}


def make_report_body(diagnosis: Diagnosis | None = None, changes: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The sample, about ``diagnosis`` where one is given; ``changes`` replace top-level parts."""
    body = copy.deepcopy(BODY)
    if diagnosis is not None:
        incident = diagnosis.incident
        body["incident"] = {"id": incident.pk, "title": incident.title} if incident is not None else None
        body["subject"] |= {"query": diagnosis.query, "incident": body["incident"]}
    return {**body, **(changes or {})}


def inconclusive_body() -> dict[str, Any]:
    """The same incident where nothing explains the alert."""
    return make_report_body(
        changes={
            "verdict": "inconclusive",
            "summary": claim("checkout is slow; nothing that was asked explains it.", "E1", "E2"),
            "rootCause": None,
            "candidates": [],
            "changes": [],
            "runbooks": [],
            "actions": [],
            "timeline": [
                {"at": "2026-03-01T10:02:00Z", "text": "CheckoutSlow fires for checkout.", "evidence": ["E1"]}
            ],
            "ruledOut": [claim("No service was deployed in the two hours before.", "E1")],
            "limits": ["Only the first 60 questions were asked."],
        }
    )
