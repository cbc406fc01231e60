"""Stage 11: the report, schema version 1: every claim with ids of live evidence, the same bytes for the same inputs.

Result: {"report": REPORT}.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from diagnosis.engine.charts import charts_of
from diagnosis.engine.events import event
from diagnosis.engine.limits import MAX_NAME, MAX_SUBJECT_BYTES
from diagnosis.engine.numbering import all_cited, cited, evidence_of, ids_after
from diagnosis.engine.timeline import impact_of, timeline_of
from diagnosis.engine.times import iso, rounded
from diagnosis.engine.types import Found, State, Tools
from diagnosis.reports.urls import is_web_url

SCHEMA_VERSION = 1
MAX_TEXT = 4000
_SUBJECT_FIELDS = ("query", "window", "alert", "incident", "alerts")
_EMPTY_SUBJECT: Mapping[str, Any] = {"query": "", "alerts": []}


def run(state: State, tools: Tools) -> Found:
    ids = ids_after(state, ())
    concluded = state.of("conclude")
    report = {
        "schemaVersion": SCHEMA_VERSION,
        "incident": state.subject.get("incident"),
        "subject": _subject(state),
        "verdict": concluded["verdict"],
        "summary": cited(concluded["summary"], ids) or cited({**concluded["summary"], "keys": ["question"]}, ids),
        "rootCause": _root_cause(concluded["rootCause"], ids),
        "candidates": [_candidate(row, ids) for row in state.of("hypothesise")["hypotheses"]],
        "facts": _facts(state.of("facts"), ids),
        "timeline": timeline_of(state, ids),
        "impact": all_cited(impact_of(state), ids),
        "changes": [_change(change, ids) for change in state.of("analyse")["changes"] if change["key"] in ids],
        "runbooks": _quoted(state.of("retrieve")["runbooks"], ids),
        "actions": _quoted(state.of("retrieve")["actions"], ids),
        "ruledOut": all_cited(concluded["ruledOut"], ids),
        "unknown": list(concluded["unknown"]),
        "dataGaps": list(concluded["dataGaps"]),
        "limits": list(concluded["limits"]),
        "charts": charts_of(state, tools, ids),
    }
    return Found({"report": storable(report)}, events=[event("report.ready", {"verdict": concluded["verdict"]})])


def storable(value: Any) -> Any:
    """The same JSON without NUL characters and halves of characters, floats at six significant digits."""
    if isinstance(value, str):
        return value.replace("\x00", "�").encode("utf-8", "replace").decode()
    if isinstance(value, float):
        return rounded(value)
    if isinstance(value, Mapping):
        return {storable(str(key)): storable(item) for key, item in value.items()}
    return [storable(item) for item in value] if isinstance(value, list | tuple) else value


def _subject(state: State) -> dict[str, Any]:
    window = state.of("intake")["window"]
    given = {**_EMPTY_SUBJECT, **state.subject, "window": {"start": iso(window["start"]), "end": iso(window["end"])}}
    told = {name: given.get(name) for name in _SUBJECT_FIELDS}
    return {
        **told,
        "query": str(told["query"])[:MAX_TEXT],
        "alert": _fitting_one(told["alert"]),
        "alerts": _fitting(told["alerts"]),
    }


def _fitting(alerts: Any) -> list[Any]:
    """The first alerts that fit into what a report may hold of them; all of them are in the incident."""
    kept: list[Any] = []
    left = MAX_SUBJECT_BYTES
    for alert in alerts:
        left -= _size(_fitting_one(alert))
        if left < 0:
            break
        kept.append(_fitting_one(alert))
    return kept


def _fitting_one(alert: Any) -> Any:
    """An alert, without its labels and annotations where they are huge."""
    if not alert or _size(alert) <= MAX_SUBJECT_BYTES // 4:
        return alert
    cut = {name: str(value)[:MAX_NAME] if isinstance(value, str) else value for name, value in alert.items()}
    return {**cut, "labels": {}, "annotations": {}}


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=True))


def _at(seconds: float | None) -> str | None:
    return iso(seconds) if seconds is not None else None


def _root_cause(cause: Mapping[str, Any] | None, ids: Mapping[str, str]) -> dict[str, Any] | None:
    if cause is None:
        return None
    named = {name: cause[name] for name in ("node", "kind", "mechanism")}
    return {**named, "onset": _at(cause["onset"]), "evidence": evidence_of(cause["keys"], ids)}


def _candidate(row: Mapping[str, Any], ids: Mapping[str, str]) -> dict[str, Any]:
    return {
        **{name: row[name] for name in ("node", "kind", "mechanism", "score")},
        "onset": _at(row["onset"]),
        "for": all_cited(row["for"], ids),
        "against": all_cited(row["against"], ids),
    }


def _facts(facts: Mapping[str, Any], ids: Mapping[str, str]) -> dict[str, Any]:
    claims = {part: all_cited(facts[part], ids) for part in ("alerts", "restarts", "changes")}
    return {"expression": facts["expression"], **claims, "links": list(facts["links"])}


def _change(change: Mapping[str, Any], ids: Mapping[str, str]) -> dict[str, Any]:
    named = {name: change[name] for name in ("service", "kind")}
    url = change["url"] if is_web_url(change["url"]) else ""
    rest = {"version": change["version"], "url": url, "inferred": change["inferred"]}
    return {**named, "at": iso(change["at"]), **rest, "evidence": [ids[change["key"]]]}


def _quoted(rows: Sequence[Mapping[str, Any]], ids: Mapping[str, str]) -> list[dict[str, Any]]:
    quoted = [
        {k: v for k, v in row.items() if k != "keys"} | {"evidence": evidence_of(row["keys"], ids)} for row in rows
    ]
    return [row for row in quoted if row["evidence"]]
