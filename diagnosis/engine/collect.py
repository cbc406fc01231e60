"""Stage 5: ask what was planned. The answers are stored by the tools; later stages ask again and get the same.

Result: {"probes": [{"node", "family", "call", "rows", "points", "error", "truncated"}], "limits": [sentences],
"gaps": [sentences]}. Every answer is evidence, an empty one too.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from diagnosis.engine.events import event
from diagnosis.engine.limits import MAX_SERIES_JUDGED
from diagnosis.engine.spans import Spans, spans_of
from diagnosis.engine.types import Answer, Finding, Found, State, Tools, Window


def run(state: State, tools: Tools) -> Found:
    spans = spans_of(state)
    probes, findings, gaps, limits = [], [], [], []
    for probe in state.of("plan")["probes"]:
        answer = ask(tools, probe, spans)
        row = _row(probe, answer)
        probes.append(row)
        findings.append(_finding(row, _asked(probe, spans)))
        gaps += _gap(row)
        if row["rows"] > MAX_SERIES_JUDGED:
            which = f"{row['rows']} series of {row['family']} of {row['node']}"
            limits.append(f"Of {which} the {MAX_SERIES_JUDGED} that moved most were judged.")
        limits += [f"The answer for {row['family']} of {row['node']} was cut at its limit."] if row["truncated"] else []
    left_out = state.of("plan")["leftOut"]
    if left_out:
        limits.append(f"{left_out} probes of the plan were not asked: a diagnosis asks at most 60 questions.")
    result = {"probes": probes, "limits": limits, "gaps": gaps}
    return Found(result, findings, [event("limit.reached", {"text": text}) for text in limits[:20]])


def ask(tools: Tools, probe: Mapping[str, Any], spans: Spans) -> Answer:
    """The answer to a probe: baseline, window and slack in one question."""
    return tools.metric(probe["node"], probe["family"], _asked(probe, spans), spans.step)


def metric_key(node: str, family: str, earlier: float = 0.0) -> str:
    return f"metric:{node}:{family}" + (f":{earlier:.0f}" if earlier else "")


def _asked(probe: Mapping[str, Any], spans: Spans) -> Window:
    earlier = probe.get("earlier", 0.0)
    return Window(spans.window.start - earlier, spans.window.end - earlier) if earlier else spans.asked


def _row(probe: Mapping[str, Any], answer: Answer) -> dict[str, Any]:
    return {
        "node": probe["node"],
        "family": probe["family"],
        "earlier": probe.get("earlier", 0.0),
        "call": answer.call,
        "rows": len(answer.rows),
        "points": int(sum(np.isfinite(row.values).sum() for row in answer.rows)),
        "error": answer.error,
        "truncated": answer.truncated,
    }


def _finding(row: Mapping[str, Any], window: Window) -> Finding:
    summary = f"{row['family']} of {row['node']}: {row['rows']} series with {row['points']} values."
    if row["error"]:
        summary = f"{row['family']} of {row['node']} could not be read ({row['error']})."
    key = metric_key(row["node"], row["family"], row["earlier"])
    stats = {"series": row["rows"], "values": row["points"]}
    return Finding(key, "metric", summary, node=row["node"], call=row["call"], window=window, stats=stats)


def _gap(row: Mapping[str, Any]) -> list[str]:
    if row["error"]:
        return [f"{row['family']} of {row['node']} could not be read ({row['error']})."]
    return (
        [] if row["points"] or row["earlier"] else [f"{row['family']} of {row['node']} holds no values in this time."]
    )
