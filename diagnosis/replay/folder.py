"""An incident folder: ``incident.yaml``, ``metrics.csv``, and where there are any ``logs.jsonl``, ``changes.jsonl``,
``runbooks/*.md`` and ``truth.json``.

``incident.yaml``::

    title: Checkout is slow
    query: ""                                 # optional
    window: {start: 2026-03-04T09:00:00Z, end: 2026-03-04T10:15:00Z}
    baseline: {start: …, end: …}              # optional: what counts as usual, before the window
    alert: {name, service, startsAt, endsAt, labels: {}, annotations: {}, generatorUrl}   # optional
    alerts: []                                # optional: others of the incident, of the same shape
    services: [{name: checkout, kind: own}]   # kind: own, external or client
    edges: [[checkout, payment]]              # caller, callee
    rules: [{alert: CheckoutLatencyHigh, expr: …, for: 120}]   # optional, seconds
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import yaml

from diagnosis.engine.times import iso, seconds_of, window_of
from diagnosis.engine.types import NodeKind, Topology
from diagnosis.replay.errors import BadIncident
from diagnosis.replay.incident import Incident
from diagnosis.replay.metrics_file import FILE as METRICS
from diagnosis.replay.metrics_file import series_from_csv

INCIDENT = "incident.yaml"
CHANGES = "changes.jsonl"
LOGS = "logs.jsonl"
TRUTH = "truth.json"
_ALERT_FIELDS = ("id", "name", "service", "startsAt", "endsAt", "labels", "annotations", "generatorUrl")
_MAX_BYTES = 50_000_000


def read_folder(path: Path) -> Incident:
    """The incident of a folder. Raises ``BadIncident`` that names the file and, where there is one, the line."""
    if not path.is_dir():
        raise BadIncident(str(path), "There is no such folder.")
    files = {name: _text(path / name) for name in (INCIDENT, METRICS, CHANGES, LOGS, TRUTH) if (path / name).exists()}
    for name in (INCIDENT, METRICS):
        if name not in files:
            raise BadIncident(name, "This file is missing.")
    runbooks = {file.stem: _text(file) for file in sorted((path / "runbooks").glob("*.md"))}
    return incident_from(files, runbooks=runbooks)


def incident_from(files: Mapping[str, str], *, runbooks: Mapping[str, str] | None = None) -> Incident:
    """The incident of a folder's files as text, by name. Raises ``BadIncident``."""
    told = _yaml(files[INCIDENT])
    window = _window(told, "window")
    if window is None:
        raise BadIncident(INCIDENT, "The window needs a start and an end after it.")
    alert = _alert(told.get("alert"), "alert") if told.get("alert") else None
    alerts = [_alert(row, f"alerts[{n}]") for n, row in enumerate(_list(told, "alerts"))]
    subject = {
        "query": str(told.get("query") or ""),
        "window": window,
        "alert": alert,
        "incident": {"id": str(told.get("id") or "recorded"), "title": str(told.get("title") or "")},
        "alerts": alerts,
        "baseline": _window(told, "baseline"),
    }
    # Log lines are read so that a bad file is told now; the engine has no log channel yet.
    list(_json_lines(files.get(LOGS, ""), LOGS))
    return Incident(
        subject=subject,
        topology=Topology(_kinds(told), _edges(told)),
        series=series_from_csv(files.get(METRICS, "")),
        changes=[_change(row, line) for line, row in _json_lines(files.get(CHANGES, ""), CHANGES)],
        alerts=[row for row in (alert, *alerts) if row],
        rules=[_rule(row, f"rules[{n}]") for n, row in enumerate(_list(told, "rules"))],
        runbooks=runbooks or {},
        truth=_json(files.get(TRUTH, "{}"), TRUTH),
    )


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise BadIncident(path.name, f"The file is larger than {_MAX_BYTES // 1_000_000} MB.")
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise BadIncident(path.name, "The file is not UTF-8.") from None
    except OSError as error:
        raise BadIncident(path.name, f"The file cannot be read ({error.strerror}).") from None


def _yaml(text: str) -> dict[str, Any]:
    try:
        told = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise BadIncident(INCIDENT, "This is no YAML.", line=mark.line + 1 if mark else None) from None
    except (ValueError, RecursionError):
        raise BadIncident(INCIDENT, "This is no YAML.") from None
    if not isinstance(told, dict):
        raise BadIncident(INCIDENT, "The file must hold a mapping.")
    return told


def _list(told: Mapping[str, Any], name: str) -> list[Any]:
    value = told.get(name) or []
    if not isinstance(value, list):
        raise BadIncident(INCIDENT, f"{name} must be a list.")
    return value


def _window(told: Mapping[str, Any], name: str) -> dict[str, str] | None:
    given = told.get(name)
    if given is None:
        return None
    window = window_of(given) if isinstance(given, dict) else None
    if window is None:
        raise BadIncident(INCIDENT, f"{name} needs a start and an end after it.")
    return {"start": iso(window.start), "end": iso(window.end)}


def _alert(given: Any, where: str) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise BadIncident(INCIDENT, f"{where} must be a mapping.")
    alert: dict[str, Any] = {field: given.get(field) for field in _ALERT_FIELDS}
    for field in ("startsAt", "endsAt"):
        at = seconds_of(alert[field]) if alert[field] else None
        if alert[field] and at is None:
            raise BadIncident(INCIDENT, f"{where}.{field} is no time.")
        alert[field] = iso(at) if at is not None else None
    for field in ("labels", "annotations"):
        if not isinstance(alert[field] or {}, dict):
            raise BadIncident(INCIDENT, f"{where}.{field} must be a mapping.")
        alert[field] = {str(key): str(value) for key, value in (alert[field] or {}).items()}
    return {**alert, **{field: str(alert[field] or "") for field in ("id", "name", "service", "generatorUrl")}}


def _kinds(told: Mapping[str, Any]) -> dict[str, NodeKind]:
    kinds: dict[str, NodeKind] = {}
    for number, row in enumerate(_list(told, "services")):
        row = {"name": row} if isinstance(row, str) else row
        if not isinstance(row, dict) or not isinstance(row.get("name"), str):
            raise BadIncident(INCIDENT, f"services[{number}] needs a name.")
        kind = row.get("kind", "own")
        if kind not in get_args(NodeKind):
            raise BadIncident(INCIDENT, f"services[{number}].kind must be one of {', '.join(get_args(NodeKind))}.")
        kinds[row["name"]] = kind
    return kinds


def _edges(told: Mapping[str, Any]) -> list[tuple[str, str]]:
    edges = []
    for number, row in enumerate(_list(told, "edges")):
        if not isinstance(row, list) or len(row) != 2 or not all(isinstance(node, str) for node in row):
            raise BadIncident(INCIDENT, f"edges[{number}] must be a caller and a callee.")
        edges.append((row[0], row[1]))
    return edges


def _rule(given: Any, where: str) -> dict[str, Any]:
    if not isinstance(given, dict) or not given.get("alert") or not given.get("expr"):
        raise BadIncident(INCIDENT, f"{where} needs an alert and an expr.")
    seconds = given.get("for", 0)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise BadIncident(INCIDENT, f"{where}.for must be a number of seconds.")
    return {"alert": str(given["alert"]), "expr": str(given["expr"]), "for": float(seconds)}


def _change(given: Any, line: int) -> dict[str, Any]:
    at = seconds_of(given.get("at")) if isinstance(given, dict) else None
    if at is None or not given.get("service"):
        raise BadIncident(CHANGES, "A change needs a service and a time.", line=line)
    told = {field: str(given.get(field) or "") for field in ("service", "kind", "version", "url")}
    return {**told, "at": iso(at)}


def _json(text: str, file: str, *, line: int | None = None) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise BadIncident(file, "This is no JSON.", line=line) from None


def _json_lines(text: str, file: str) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            yield number, _json(line, file, line=number)
