"""``engine.types.Tools`` over a recorded incident: no database, no network."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from diagnosis.engine.times import seconds_of
from diagnosis.engine.types import Answer, Series, Topology, Window
from diagnosis.replay.incident import Incident

_WORD = re.compile(r"[a-z0-9]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_HEADING = re.compile(r"^(#{1,6})\s+(.+)$")
# A passage that shares this share of the query's words is a full hit.
_FULL_HIT = 0.5


class FolderTools:
    """Answers from an ``Incident``. The same question has the same number; ``asked`` counts different ones."""

    def __init__(self, incident: Incident) -> None:
        self._incident = incident
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._by_node: dict[str, dict[str, list[Series]]] = {}
        for row in incident.series:
            self._by_node.setdefault(row.node, {}).setdefault(row.family, []).append(row)

    @property
    def asked(self) -> int:
        return len(self._numbers)

    def topology(self) -> Topology:
        return self._incident.topology

    def families(self, node: str) -> Sequence[str]:
        return sorted(self._by_node.get(node, {}))

    def metric(self, node: str, family: str, window: Window, step: float) -> Answer:
        rows = (cut(row, window) for row in self._by_node.get(node, {}).get(family, ()))
        found = [row for row in rows if np.isfinite(row.values).any()]
        return Answer(self._number("metric", node, family, window, step), found)

    def rule(self, alert_name: str) -> Answer:
        rules = [rule for rule in self._incident.rules if rule["alert"] == alert_name]
        rows = [{"expr": rule["expr"], "for": rule["for"], "source": "recording"} for rule in rules]
        return Answer(self._number("rule", alert_name), rows)

    def expression(self, expr: str, window: Window, step: float) -> Answer:
        """A recording evaluates nothing: only a series of family "expression" of that very name answers."""
        rows = [cut(row, window) for row in self._by_node.get("", {}).get("expression", ()) if row.name == expr]
        return Answer(self._number("expression", expr, window, step), rows)

    def alerts(self, window: Window) -> Answer:
        rows = [{**alert, "state": "resolved"} for alert in self._incident.alerts if _fires_in(alert, window)]
        return Answer(self._number("alerts", window), rows)

    def changes(self, window: Window) -> Answer:
        rows = [
            change
            for change in self._incident.changes
            if (at := seconds_of(change["at"])) is not None and window.start <= at <= window.end
        ]
        return Answer(self._number("changes", window), rows)

    def runbooks(self, query: str, limit: int) -> Answer:
        """The best section of each runbook by the words that it shares with the query."""
        wanted = set(_words(query))
        hits = [hit for title, text in sorted(self._incident.runbooks.items()) for hit in _hits(title, text, wanted)]
        hits.sort(key=lambda hit: (-hit["score"], hit["documentId"], hit["lines"]))
        return Answer(self._number("runbooks", query, limit), hits[:limit])

    def _number(self, *question: Any) -> int:
        return self._numbers.setdefault(question, len(self._numbers) + 1)


def cut(series: Series, window: Window) -> Series:
    """The part of a series that lies in the window, on its own grid."""
    inside = np.flatnonzero((series.times >= window.start) & (series.times <= window.end))
    first, last = (int(inside[0]), int(inside[-1]) + 1) if len(inside) else (0, 0)
    start = series.start + first * series.step
    return Series(series.node, series.family, series.name, start, series.step, series.values[first:last])


def _fires_in(alert: dict[str, Any] | Any, window: Window) -> bool:
    start, end = seconds_of(alert.get("startsAt")), seconds_of(alert.get("endsAt"))
    return start is not None and start <= window.end and (end is None or end >= window.start)


def _words(text: str) -> list[str]:
    return _WORD.findall(_CAMEL.sub(" ", text).lower())


def _hits(title: str, text: str, wanted: set[str]) -> list[dict[str, Any]]:
    """One row for each section under a heading; words of the title count for every section."""
    return [
        {
            "documentId": title,
            "title": title.replace("-", " "),
            "headingPath": headings,
            "text": body,
            "score": _score(wanted, {*_words(title), *_words(body)}),
            "lines": [first, last],
        }
        for headings, body, first, last in _sections(text)
    ]


def _score(wanted: set[str], there: set[str]) -> float:
    return min(1.0, len(wanted & there) / (_FULL_HIT * len(wanted))) if wanted else 0.0


def _sections(text: str) -> list[tuple[list[str], str, int, int]]:
    """(heading path, text, first line, last line) of every section with text."""
    sections: list[tuple[list[str], list[str], int]] = [([], [], 1)]
    for number, line in enumerate(text.splitlines(), start=1):
        heading = _HEADING.match(line)
        if heading:
            path = sections[-1][0][: len(heading[1]) - 1]
            sections.append(([*path, heading[2].strip()], [], number + 1))
        else:
            sections[-1][1].append(line)
    return [
        (path, "\n".join(lines).strip(), first, first + len(lines) - 1)
        for path, lines, first in sections
        if "\n".join(lines).strip()
    ]
