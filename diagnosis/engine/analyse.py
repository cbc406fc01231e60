"""Stage 6: what is unusual, since when, and which node stands out: metrics, restarts, reported and inferred changes.

Result: {"target": {"node", "family", "onset"} | null, "onset": seconds | null, "slack": seconds, "anomalies": [...],
"thin": [...], "usual": [{"node", "keys"}], "ranking": [...], "changes": [...], "restarts": [claim], "notes": [...]}.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from diagnosis.engine.anomalies import anomaly_finding, anomaly_row, thin_finding
from diagnosis.engine.changes import change_finding, inferred_versions, merged, restarts_in
from diagnosis.engine.collect import ask, metric_key
from diagnosis.engine.earlier import so_it_was_before
from diagnosis.engine.families import family_of
from diagnosis.engine.judging import Judged, judge_all
from diagnosis.engine.limits import LOOK_BACK_SECONDS
from diagnosis.engine.ranking import Ranked, ranked
from diagnosis.engine.spans import Spans, spans_of
from diagnosis.engine.times import rounded
from diagnosis.engine.types import Answer, Finding, Found, State, Tools, Window

Answers = Mapping[tuple[str, str], Answer]


def run(state: State, tools: Tools) -> Found:
    spans = spans_of(state)
    answers = _answers(state, tools, spans)
    judged = judge_all(state, tools, answers, spans)
    changes, restarts = _changes(state, answers, spans), _restarts(state, answers, spans)
    order = _order(state, tools, judged, changes, restarts)
    unusual = [row for row in judged.all() if row.judgement.unusual]
    thin = [row for row in judged.all() if row.judgement.too_little_traffic and row.judgement.z >= 3]
    findings = [
        *(anomaly_finding(row, answers[row.judgement.node, row.judgement.family].call, spans) for row in unusual),
        *(thin_finding(row, answers[row.judgement.node, row.judgement.family].call) for row in thin),
        *(finding for found in restarts.values() for finding in found if finding.key not in state.evidence),
        *(change_finding(change) for change in changes if change["key"] not in state.evidence),
    ]
    before, before_findings = so_it_was_before(state, tools, judged, spans)
    result = {
        "target": _target(judged),
        "onset": judged.onset,
        "slack": judged.slack,
        "anomalies": [anomaly_row(row) for row in unusual],
        "thin": [{"node": row.judgement.node, "keys": [thin_finding(row, None).key]} for row in thin],
        "usual": _usual(answers, judged),
        "ranking": [_ranking_row(row) for row in order],
        "changes": changes,
        "restarts": [{"text": f.summary, "keys": [f.key]} for node in sorted(restarts) for f in restarts[node]],
        "before": before,
        "notes": judged.notes,
    }
    return Found(result, [*findings, *before_findings])


def _answers(state: State, tools: Tools, spans: Spans) -> dict[tuple[str, str], Answer]:
    """Every probe that gave values, asked again: the tools answer from their store."""
    rows = [row for row in state.of("collect")["probes"] if row["points"] and not row["earlier"]]
    return {(row["node"], row["family"]): ask(tools, row, spans) for row in rows}


def _changes(state: State, answers: Answers, spans: Spans) -> list[dict[str, Any]]:
    within = Window(spans.window.start - LOOK_BACK_SECONDS, spans.window.end)
    inferred = [
        change
        for (node, family), answer in sorted(answers.items())
        if family == "version"
        for change in inferred_versions(node, answer.rows, within)
    ]
    return [{**change, "key": change_finding(change).key} for change in merged(state.of("facts")["reported"], inferred)]


def _restarts(state: State, answers: Answers, spans: Spans) -> dict[str, list[Finding]]:
    within = Window(spans.window.start - LOOK_BACK_SECONDS, spans.window.end)
    return {
        node: restarts_in(node, answer, within)
        for (node, family), answer in sorted(answers.items())
        if family == "restarts"
    }


def _order(
    state: State,
    tools: Tools,
    judged: Judged,
    changes: Sequence[Mapping[str, Any]],
    restarts: Mapping[str, Sequence[Finding]],
) -> list[Ranked]:
    changed: dict[str, list[float]] = {}
    for change in changes:
        changed.setdefault(change["service"], []).append(change["at"])
    started = {node: [f.window.start for f in found if f.window] for node, found in restarts.items()}
    answered = {
        node: sorted({family_of(row.judgement.family).symptom for row in rows}) for node, rows in judged.rows.items()
    }
    return ranked(
        {node: [(row.judgement, row.alike) for row in rows] for node, rows in judged.rows.items()},
        tools.topology(),
        target=state.of("intake")["target"],
        changes=changed,
        restarts=started,
        symptoms=answered,
    )


def _target(judged: Judged) -> dict[str, Any] | None:
    if judged.target is None:
        return None
    return {"node": judged.target.node, "family": judged.target.family, "onset": judged.target.onset}


def _usual(answers: Answers, judged: Judged) -> list[dict[str, Any]]:
    """Nodes of which everything that could be judged is as usual, with what shows it."""
    rows = []
    for node in sorted(judged.rows):
        families = sorted({row.judgement.family for row in judged.rows[node]})
        if families and not any(row.judgement.unusual or row.judgement.z >= 3 for row in judged.rows[node]):
            keys = [metric_key(node, family) for family in families if (node, family) in answers]
            rows.append({"node": node, "families": families, "keys": keys})
    return rows


def _ranking_row(row: Ranked) -> dict[str, Any]:
    return {
        "node": row.node,
        "kind": row.kind,
        "score": rounded(row.score),
        "onset": row.onset,
        "step": row.step,
        "alike": rounded(row.alike),
        "families": [judgement.family for judgement in row.judgements],
        "explainedBy": list(row.explained_by),
        "harmless": row.harmless,
        "changedAt": row.changed_at,
        "restartedAt": row.restarted_at,
    }
