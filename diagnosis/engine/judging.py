"""Every answer judged, the target first: what it looks like decides what the others are compared with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from diagnosis.engine.families import family_of
from diagnosis.engine.limits import CLOCK_SLACK_SECONDS, MAX_SERIES_JUDGED
from diagnosis.engine.scoring import Judgement, correlation, judge, strength
from diagnosis.engine.spans import Spans, on_own_step
from diagnosis.engine.types import Answer, Series, State, Tools, Window

# How alike a node is to a target of which nothing unusual was seen: nobody knows.
UNKNOWN_LIKENESS = 0.5


@dataclass(frozen=True, slots=True)
class Row:
    judgement: Judgement
    alike: float


@dataclass(frozen=True, slots=True)
class Judged:
    """``rows``: by node, one judgement a family. ``target``: the course that everything was compared with, if any."""

    rows: Mapping[str, Sequence[Row]]
    target: Judgement | None
    onset: float | None
    slack: float = 0.0
    notes: Sequence[str] = field(default_factory=tuple)

    def all(self) -> list[Row]:
        return [row for node in sorted(self.rows) for row in self.rows[node]]


def judge_all(state: State, tools: Tools, answers: Mapping[tuple[str, str], Answer], spans: Spans) -> Judged:
    """Judged inside the window; once more an hour around it when the target shows nothing there: a clock may be off."""
    judged = _judged(state, tools, answers, spans, slack=0.0)
    if judged.target is not None or not _has_metrics(state, answers):
        return judged
    wider = _judged(state, tools, answers, spans, slack=CLOCK_SLACK_SECONDS)
    return wider if wider.target is not None and wider.target.node else judged


def _has_metrics(state: State, answers: Mapping[tuple[str, str], Answer]) -> bool:
    target = state.of("intake")["target"]
    return any(node == target and family_of(family).harmful != "none" for node, family in answers)


def _judged(
    state: State, tools: Tools, answers: Mapping[tuple[str, str], Answer], spans: Spans, *, slack: float
) -> Judged:
    by_family = {key: _judgements(key, answers, spans, slack) for key in sorted(answers)}
    target = _target(state, tools, by_family, spans, slack)
    window = Window(spans.window.start - slack, spans.window.end + slack)
    rows: dict[str, list[Row]] = {}
    for (node, _), judgements in by_family.items():
        compared = [Row(one, correlation(one, target, window) if target else UNKNOWN_LIKENESS) for one in judgements]
        if compared:
            rows.setdefault(node, []).append(max(compared, key=_weight))
    onset = target.onset if target else state.of("facts")["onset"]
    off = "The data turn unusual outside of the alert's window: a clock may be off by up to an hour."
    return Judged(rows, target, onset, slack, (off,) if slack and target else ())


def _weight(row: Row) -> tuple[float, float, str]:
    return strength(row.judgement, row.alike), row.judgement.z, row.judgement.name


def _judgements(
    key: tuple[str, str], answers: Mapping[tuple[str, str], Answer], spans: Spans, slack: float
) -> list[Judgement]:
    node, family = key
    if family_of(family).harmful == "none":
        return []
    traffic = _summed(answers.get((node, "traffic")))
    rows = most_moved(answers[key].rows, spans)
    judged = (judge(row, spans, traffic=traffic, slack=slack) for row in rows if len(row.values))
    return [one for one in judged if one is not None]


def most_moved(rows: Sequence[Series], spans: Spans) -> list[Series]:
    """All series, or of very many the 100 whose values in the window lie furthest from those before, in their order."""
    if len(rows) <= MAX_SERIES_JUDGED:
        return list(rows)
    moved = sorted(range(len(rows)), key=lambda n: (-_moved(rows[n], spans), rows[n].name))
    return [rows[n] for n in sorted(moved[:MAX_SERIES_JUDGED])]


def _moved(row: Series, spans: Spans) -> float:
    """The largest distance in the window from the middle before it, in widths of what was there before."""
    there = np.isfinite(row.values) & (row.times <= spans.window.end)
    before, after = (
        row.values[there & (row.times < spans.window.start)],
        row.values[there & (row.times >= spans.window.start)],
    )
    if not len(before) or not len(after):
        return 0.0
    low, middle, high = np.percentile(before, (10, 50, 90))
    return float(np.abs(after - middle).max() / max(high - low, 0.05 * abs(middle), 1e-9))


def _summed(answer: Answer | None) -> Series | None:
    """The traffic of a node: the sum of its series where they share their times, else the busiest."""
    rows = [on_own_step(row) for row in answer.rows if np.isfinite(row.values).any()] if answer else []
    if not rows:
        return None
    first = rows[0]
    if any((row.start, row.step, len(row.values)) != (first.start, first.step, len(first.values)) for row in rows):
        return max(rows, key=lambda row: (float(np.nansum(row.values)), row.name))
    total = np.nansum([row.values for row in rows], axis=0)
    return Series(first.node, first.family, "", first.start, first.step, total)


def _target(
    state: State,
    tools: Tools,
    by_family: Mapping[tuple[str, str], Sequence[Judgement]],
    spans: Spans,
    slack: float,
) -> Judgement | None:
    """The course to compare with: the family that the alert speaks of, its own expression, or what is worst there."""
    intake = state.of("intake")
    mine = {family: rows for (node, family), rows in by_family.items() if node == intake["target"]}
    for family in intake["families"]:
        unusual = [one for one in mine.get(family, ()) if one.unusual]
        if unusual:
            return max(unusual, key=lambda one: (one.z, one.name))
    expression = _expression(state, tools, spans, slack)
    if expression is not None:
        return expression
    unusual = [one for rows in mine.values() for one in rows if one.unusual]
    return max(unusual, key=lambda one: (one.z, one.family, one.name), default=None)


def _expression(state: State, tools: Tools, spans: Spans, slack: float) -> Judgement | None:
    expression = state.of("facts")["expression"]
    if not expression:
        return None
    answer = tools.expression(expression["expr"], spans.asked, spans.step)
    judged = [judge(row, spans, slack=slack) for row in answer.rows if len(row.values)]
    return max(
        (one for one in judged if one is not None and one.unusual), key=lambda one: (one.z, one.name), default=None
    )
