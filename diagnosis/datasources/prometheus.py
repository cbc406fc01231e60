"""Metrics, rules and alerts of a Prometheus, or of whatever speaks its HTTP interface.

A range query repeats the last value of a plain selector for five minutes, so a series seems to live on after it ended
and a short one seems long. The catalogue's templates look back over ``$range`` explicitly; an alert's own expression is
asked as it stands, since that is what its rule saw.
"""

import math
from typing import Any

from diagnosis.catalogue.queries import SLOW_RANGE, families_of, queries_for, range_for, uses_range
from diagnosis.datasources.fetching import Body, Endpoint, get_json
from diagnosis.datasources.matrix import bounded_step, series_of
from diagnosis.datasources.protocol import BAD_ANSWER, FoundSeries, Queried, SourceFailed, call_deadline
from diagnosis.engine.types import Window


class Prometheus:
    """A ``MetricSource`` that asks over HTTP; it holds no connection between calls."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    def families(self, service: Queried) -> list[str]:
        return families_of(service)

    def range(
        self, service: Queried, family: str, window: Window, step: float, *, deadline: float | None = None
    ) -> FoundSeries:
        """Where nothing comes and the look-back was short, once more with five minutes: targets may be scraped rarely.
        All queries of the family together keep to one call's time."""
        ends = call_deadline(deadline)
        seconds = range_for(bounded_step(window, step))
        found = self._family(service, family, window, step, seconds=seconds, deadline=ends)
        if found or seconds >= SLOW_RANGE or not uses_range(service, family):
            return found
        wider = self._family(service, family, window, step, seconds=SLOW_RANGE, deadline=ends)
        if wider:
            wider.notes = (*wider.notes, f"Samples are rare: each point looks back {SLOW_RANGE} seconds.")
        return wider

    def _family(
        self, service: Queried, family: str, window: Window, step: float, *, seconds: int, deadline: float
    ) -> FoundSeries:
        queries = queries_for(service, family, seconds=seconds)
        return FoundSeries.joined(
            self._query(query, window, step, node=service.name, family=family, deadline=deadline) for query in queries
        )

    def expression(self, expr: str, window: Window, step: float, *, deadline: float | None = None) -> FoundSeries:
        return self._query(expr, window, step, node="", family="expression", deadline=deadline)

    def _query(
        self, query: str, window: Window, step: float, *, node: str, family: str, deadline: float | None
    ) -> FoundSeries:
        notes = []
        raised = bounded_step(window, step)
        if raised != step:
            notes.append(f"The step was raised from {step:g} to {raised:g} seconds.")
        # Three digits are what Prometheus keeps of a time.
        times = {"start": f"{window.start:.3f}", "end": f"{window.end:.3f}", "step": f"{raised:.3f}"}
        body = get_json(self._endpoint, "/api/v1/query_range", {"query": query, **times}, deadline=deadline)
        data = _data(body, notes)
        if data.get("resultType") != "matrix":
            raise SourceFailed(BAD_ANSWER, "The answer is no matrix of series.")
        found = data.get("result")
        return series_of(found, node=node, family=family, window=window, step=raised, notes=notes, size=body.bytes)

    def rule(self, alert_name: str, *, deadline: float | None = None) -> dict[str, Any] | None:
        """Of several rules with this name the first."""
        body = get_json(self._endpoint, "/api/v1/rules", {"type": "alert"}, deadline=deadline)
        try:
            for group in _data(body, []).get("groups", []):
                for rule in group["rules"]:
                    if rule["name"] == alert_name and rule.get("type") == "alerting":
                        return {"expr": str(rule["query"]), "for": float(rule.get("duration", 0))}
        except (TypeError, ValueError, KeyError):
            raise SourceFailed(BAD_ANSWER, "The answer is no list of rules.") from None
        return None

    def alerts(self, *, deadline: float | None = None) -> list[dict[str, Any]]:
        """The pending and firing alerts as Prometheus lists them: labels, annotations, state, activeAt, value."""
        found = _data(get_json(self._endpoint, "/api/v1/alerts", {}, deadline=deadline), []).get("alerts")
        if not isinstance(found, list) or not all(isinstance(alert, dict) for alert in found):
            raise SourceFailed(BAD_ANSWER, "The answer is no list of alerts.")
        return found

    def clock(self, *, deadline: float | None = None) -> float:
        """Its present time in seconds since the epoch; that it answers shows that queries work."""
        data = _data(get_json(self._endpoint, "/api/v1/query", {"query": "time()"}, deadline=deadline), [])
        try:
            now = float(data["result"][1])
        except (TypeError, ValueError, KeyError, IndexError):
            now = math.nan
        if not math.isfinite(now):
            raise SourceFailed(BAD_ANSWER, "The answer is none of a Prometheus.")
        return now


def _data(body: Body, notes: list[str]) -> dict[str, Any]:
    """``data`` of an answer. Its warnings mean that it is partial; their text is not ours to show."""
    answer = body.value
    if not isinstance(answer, dict) or answer.get("status") != "success" or not isinstance(answer.get("data"), dict):
        raise SourceFailed(BAD_ANSWER, "The answer is none of a Prometheus.")
    if warnings := answer.get("warnings"):
        count = len(warnings) if isinstance(warnings, list) else 1
        notes.append(f"The source warns that its answer is partial ({count} warnings).")
    return answer["data"]
