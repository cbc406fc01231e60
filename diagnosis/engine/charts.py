"""The courses that a report shows: the target and the candidates, at most 300 points each."""

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
    """The unusual series of the target, then of the candidates in their order; at most 12, three of a node."""
    spans = spans_of(state)
    shown = _shown(state)
    found = (_chart(anomaly, tools, spans, ids) for anomaly in shown)
    return [chart for chart in found if chart is not None][:MAX_CHARTS]


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
    shown = Window(spans.window.start - spans.window.seconds, spans.window.end)
    return {
        "key": f"{node}:{family}",
        "title": f"{family} of {node}" + (f" ({anomaly['name'][:MAX_NAME]})" if anomaly["name"] else ""),
        "unit": family_of(family).unit,
        "node": node,
        "family": family,
        "points": points_of(rows[0], shown),
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
