"""Unusual series as evidence."""

from typing import Any

import numpy as np

from diagnosis.engine.families import family_of
from diagnosis.engine.judging import Row
from diagnosis.engine.spans import Spans
from diagnosis.engine.times import clock, rounded, said
from diagnosis.engine.types import Finding

_KEPT_POINTS = 40


def anomaly_key(node: str, family: str) -> str:
    return f"anomaly:{node}:{family}"


def anomaly_row(row: Row) -> dict[str, Any]:
    one = row.judgement
    return {
        "node": one.node,
        "family": one.family,
        "name": one.name,
        "z": rounded(one.z),
        "onset": one.onset,
        "worst": rounded(one.worst),
        "usual": rounded(one.usual),
        "alike": rounded(row.alike),
        "keys": [anomaly_key(one.node, one.family)],
    }


def anomaly_finding(row: Row, call: int | None, spans: Spans) -> Finding:
    one = row.judgement
    return Finding(
        anomaly_key(one.node, one.family),
        "anomaly",
        sentence(row),
        node=one.node,
        call=call,
        window=spans.window,
        stats={k: v for k, v in anomaly_row(row).items() if k not in ("node", "keys")},
        sample=_sample(row, spans),
    )


def sentence(row: Row) -> str:
    """latency of payment went from 0.12 s to 4.9 s at 03:04:00 UTC (38 times its usual spread)."""
    one = row.judgement
    unit = family_of(one.family).unit
    since = f" at {clock(one.onset)}" if one.onset is not None else ""
    return (
        f"{one.family} of {one.node} went from {said(one.usual, unit)} to {said(one.worst, unit)}{since}"
        f" ({said(min(one.z, 9999.0))} times its usual spread)."
    )


def _sample(row: Row, spans: Spans) -> dict[str, Any]:
    """At most 40 values of the window, as deviations: enough to see the course in the evidence itself."""
    one = row.judgement
    inside = (one.times >= spans.window.start) & (one.times <= spans.window.end)
    times, values = one.times[inside], one.deviations[inside]
    keep = np.unique(np.linspace(0, max(0, len(times) - 1), min(len(times), _KEPT_POINTS)).astype(int))
    return {"deviations": [[float(times[i]), rounded(float(values[i]))] for i in keep]}


def thin_finding(row: Row, call: int | None) -> Finding:
    """Unusual, but over too few requests to mean anything."""
    one = row.judgement
    summary = f"{one.family} of {one.node} looks unusual, over {one.requests or 0:.0f} requests: too little traffic."
    return Finding(f"thin:{one.node}:{one.family}", "traffic", summary, node=one.node, call=call)
