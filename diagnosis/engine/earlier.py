"""Was it so at this hour yesterday and last week? Then it may be nobody's fault."""

from typing import Any

import numpy as np

from diagnosis.engine.collect import ask, metric_key
from diagnosis.engine.families import family_of
from diagnosis.engine.judging import Judged
from diagnosis.engine.onset import stretches, sustained_steps
from diagnosis.engine.plan import EARLIER
from diagnosis.engine.spans import Spans, on_own_step
from diagnosis.engine.times import said
from diagnosis.engine.types import Finding, Series, State, Tools

# This share of today's worst deviation from the usual, seen earlier too, is "it was so before".
_AS_BAD = 0.7


def so_it_was_before(
    state: State, tools: Tools, judged: Judged, spans: Spans
) -> tuple[list[dict[str, Any]], list[Finding]]:
    """Claims that the target's trouble was seen at the same hour before, with their evidence; else nothing."""
    target = judged.target
    rows = [row for row in state.of("collect")["probes"] if row["earlier"] and row["points"]]
    if target is None or target.family == "expression":
        return [], []
    words = {seconds: word for word, seconds in EARLIER.items()}
    claims, findings = [], []
    for row in rows:
        if (row["node"], row["family"]) != (target.node, target.family):
            continue
        answer = ask(tools, row, spans)
        same = [series for series in answer.rows if series.name == target.name]
        worst = max((w for series in same if (w := _worst(series, target.usual)) is not None), default=None)
        if worst is None or worst < _AS_BAD * abs(target.worst - target.usual):
            continue
        unit = family_of(target.family).unit
        text = f"{target.family} of {target.node} was as far from its usual {said(target.usual, unit)} "
        text += f"at the same hour {words[row['earlier']]}."
        key = f"before:{metric_key(target.node, target.family, row['earlier'])}"
        findings.append(Finding(key, "metric", text, node=target.node, call=answer.call))
        claims.append({"text": text, "keys": [key]})
    return claims, findings


def _worst(series: Series, usual: float) -> float | None:
    """The largest sustained distance from ``usual`` in the harmful direction."""
    row = on_own_step(series)
    smooth = stretches(row.values, sustained_steps(row.step))
    there = smooth[np.isfinite(smooth)]
    if not len(there):
        return None
    harmful = family_of(series.family).harmful
    if harmful == "both":
        return float(np.abs(there - usual).max())
    return float((usual - there).max() if harmful == "down" else (there - usual).max())
