"""The courses that a report shows: the alert's own, the target's and the candidates', at most 300 points each."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from diagnosis.engine.anomalies import anomaly_key
from diagnosis.engine.collect import ask
from diagnosis.engine.families import family_of
from diagnosis.engine.limits import MAX_CHART_POINTS, MAX_CHARTS, MAX_NAME
from diagnosis.engine.numbering import evidence_of
from diagnosis.engine.spans import Spans, spans_of
from diagnosis.engine.times import iso, rounded
from diagnosis.engine.types import Series, State, Tools, Window


def charts_of(state: State, tools: Tools, ids: Mapping[str, str]) -> list[dict[str, Any]]:
    """The alert's expression, the unusual series of the target, then of the candidates; at most 12, three of a node."""
    spans = spans_of(state)
    shown = _shown(state)
    found = [_alert_chart(state, tools, spans, ids), *(_chart(anomaly, tools, spans, ids) for anomaly in shown)]
    return [chart for chart in found if chart is not None][:MAX_CHARTS]


def _alert_chart(state: State, tools: Tools, spans: Spans, ids: Mapping[str, str]) -> dict[str, Any] | None:
    """What the alert's rule looks at, asked before by the facts: of several series the one with the largest value."""
    expression = state.of("facts")["expression"]
    evidence = evidence_of(["facts:expression"], ids)
    if not expression or not evidence:
        return None
    rows = [row for row in tools.expression(expression["expr"], spans.asked, spans.step).rows if _peak(row) is not None]
    if not rows:
        return None
    return {
        "key": "alert:expression",
        "title": "what the alert looks at",
        "unit": "",
        "node": state.of("intake")["target"],
        "family": "expression",
        "points": points_of(max(rows, key=lambda row: _peak(row) or 0.0), _shown_window(spans)),
        "onset": expression["onset"],
        "window": {"start": iso(spans.window.start), "end": iso(spans.window.end)},
        "evidence": evidence,
    }


def _peak(row: Series) -> float | None:
    finite = np.abs(row.values[np.isfinite(row.values)])
    return float(finite.max()) if len(finite) else None


def _shown_window(spans: Spans) -> Window:
    """The window with as much before it."""
    return Window(spans.window.start - spans.window.seconds, spans.window.end)


def _shown(state: State) -> list[Mapping[str, Any]]:
    nodes = [state.of("intake")["target"], *(row["node"] for row in state.of("hypothesise")["hypotheses"])]
    shown: list[Mapping[str, Any]] = []
    for node in dict.fromkeys(nodes):
        mine = [anomaly for anomaly in state.of("analyse")["anomalies"] if anomaly["node"] == node]
        shown += sorted(mine, key=lambda anomaly: (-(anomaly["z"] or 0.0), anomaly["family"]))[:3]
    return shown


def _chart(anomaly: Mapping[str, Any], tools: Tools, spans: Spans, ids: Mapping[str, str]) -> dict[str, Any] | None:
    node, family = anomaly["node"], anomaly["family"]
    rows = [row for row in ask(tools, anomaly, spans).rows if row.name == anomaly["name"]]
    evidence = evidence_of([anomaly_key(node, family)], ids)
    if not rows or not evidence:
        return None
    return {
        "key": f"{node}:{family}",
        "title": f"{family} of {node}" + (f" ({anomaly['name'][:MAX_NAME]})" if anomaly["name"] else ""),
        "unit": family_of(family).unit,
        "node": node,
        "family": family,
        "points": points_of(rows[0], _shown_window(spans)),
        "onset": iso(anomaly["onset"]) if anomaly["onset"] is not None else None,
        "window": {"start": iso(spans.window.start), "end": iso(spans.window.end)},
        "evidence": evidence,
    }


def points_of(series: Series, window: Window) -> list[list[Any]]:
    """At most 300 points: where there are more, the value of each stretch that lies furthest from its median, so that
    a peak is not lost."""
    inside = (series.times >= window.start) & (series.times <= window.end)
    times, values = series.times[inside], np.where(np.isfinite(series.values), series.values, np.nan)[inside]
    if len(times) <= MAX_CHART_POINTS:
        return [[iso(at), rounded(float(value))] for at, value in zip(times, values, strict=True)]
    parts = np.array_split(np.arange(len(times)), MAX_CHART_POINTS)
    chosen = [_standing_out(values, part) for part in parts]
    return [[iso(times[i]), rounded(float(values[i]))] for i in chosen]


def _standing_out(values: np.ndarray, part: np.ndarray) -> int:
    there = part[np.isfinite(values[part])]
    if not len(there):
        return int(part[0])
    return int(there[np.argmax(np.abs(values[there] - np.median(values[there])))])
