"""Stage 2: the alert's own facts, before anything is judged.

Its expression over the window with the onset, other alerts, restarts, changes of the last two hours, links.
Result: {"expression": {"expr", "for", "onset"} | null, "onset": seconds | null, "alerts": [claim], "restarts": [claim],
"changes": [claim], "links": [{"label", "url"}], "reported": [change], "calls": int, "gaps": [sentence]}; claims are
{"text", "keys"} with keys of findings.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs, urlsplit

from diagnosis.engine.changes import change_finding, restarts_in
from diagnosis.engine.events import event
from diagnosis.engine.families import family_of
from diagnosis.engine.intake import alert_finding, alert_key
from diagnosis.engine.limits import LOOK_BACK_SECONDS, MAX_CHANGES, MAX_NAME, MAX_ROWS_SAID
from diagnosis.engine.numbering import ids_after
from diagnosis.engine.onset import centre_and_scale, deviation, find_onset
from diagnosis.engine.spans import Spans, spans_of
from diagnosis.engine.times import clock, iso, rounded, said, seconds_of
from diagnosis.engine.types import Answer, Finding, Found, Series, State, Tools, Window
from diagnosis.reports.urls import is_web_url


def run(state: State, tools: Tools) -> Found:
    intake = state.of("intake")
    spans = spans_of(state)
    window = spans.window
    alert = state.subject.get("alert") or {}
    expression, seen, gaps = _expression(state, tools, spans)
    alerts = _other_alerts(state, tools.alerts(window), gaps)
    changes, reported = _changes(tools, window, intake["alertAt"], gaps)
    restarts = _restarts(tools, intake["target"], spans, gaps)
    new_alerts = [finding for finding in alerts if finding.key not in state.evidence]
    findings = [*seen, *new_alerts, *changes, *restarts]
    onset = seconds_of(expression["onset"]) if expression else None
    result = {
        "expression": expression,
        "onset": onset,
        "alerts": _claims(alerts),
        "restarts": _claims(restarts),
        "changes": _claims(changes),
        "links": links_of(alert),
        "reported": reported,
        "gaps": gaps,
    }
    return Found(result, findings, [event("facts.ready", _payload(state, result, findings))])


def _claims(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    return [{"text": finding.summary, "keys": [finding.key]} for finding in findings]


def _payload(state: State, result: Mapping[str, Any], findings: Sequence[Finding]) -> dict[str, Any]:
    """The facts as the page shows them at once: claims with evidence ids, at most 20 of a kind."""
    ids = ids_after(state, findings)
    payload: dict[str, Any] = {"expression": result["expression"], "links": result["links"]}
    for part in ("alerts", "restarts", "changes"):
        payload[part] = [
            {"text": claim["text"], "evidence": [ids[key] for key in claim["keys"] if key in ids]}
            for claim in result[part][:MAX_ROWS_SAID]
        ]
    return payload


# The expression.


def _expression(state: State, tools: Tools, spans: Spans) -> tuple[dict[str, Any] | None, list[Finding], list[str]]:
    """The alert's rule, plotted: where it turned unusual, searched from startsAt - for, not believed."""
    intake = state.of("intake")
    rule = _rule(state, tools)
    if rule is None:
        missing = "The expression of the alert is unknown: no source knows its rule." if intake["alertName"] else ""
        return None, [], [missing] if missing else []
    answer = tools.expression(rule["expr"], spans.asked, spans.step)
    expression: dict[str, Any] = {"expr": rule["expr"], "for": rule["for"], "onset": None}
    series = [row for row in answer.rows if len(row.values)]
    if not series:
        return expression, [], [f"The alert's expression gave no data{_why(answer)}."]
    hint = intake["alertAt"] - rule["for"] if intake["alertAt"] is not None else None
    onset = onset_of_expression(series, spans, hint)
    expression["onset"] = iso(onset) if onset is not None else None
    return expression, [_expression_finding(series, answer, onset, spans.window)], []


def _rule(state: State, tools: Tools) -> dict[str, Any] | None:
    name = state.of("intake")["alertName"]
    rows = tools.rule(name).rows if name else []
    if rows:
        return {"expr": str(rows[0]["expr"]), "for": float(rows[0].get("for") or 0.0)}
    url = str((state.subject.get("alert") or {}).get("generatorUrl") or "")
    try:
        expr = parse_qs(urlsplit(url).query).get("g0.expr", [""])[0]
    except ValueError:
        return None
    return {"expr": expr, "for": 0.0} if expr else None


def onset_of_expression(series: Sequence[Series], spans: Spans, hint: float | None) -> float | None:
    """The onset that lies nearest to the hint (startsAt - for), else the earliest; a rule with a comparison has values
    only while it holds, so its first value is its onset."""
    onsets = [at for row in series if (at := _onset_of_row(row, spans)) is not None]
    return min(onsets, key=lambda at: (abs(at - hint) if hint is not None else at, at), default=None)


def _onset_of_row(row: Series, spans: Spans) -> float | None:
    window = spans.window
    there = row.times[(row.values == row.values) & (row.times <= window.end)]
    if len(there) and there[0] > window.start and len(there) < 0.8 * len(row.values):
        return float(there[0])
    usual = row.values[row.times < window.start]
    centre, scale = centre_and_scale(usual, floor=0.0, floor_share=family_of("expression").floor_share)
    return find_onset(row, deviation(row.values, centre, scale, "both"), window) if scale == scale else None


def _expression_finding(series: Sequence[Series], answer: Answer, onset: float | None, window: Window) -> Finding:
    said_onset = f"turned unusual at {clock(onset)}" if onset is not None else "shows no clear onset"
    peak = max((float(abs(row.values[row.values == row.values]).max()) for row in series if _has(row)), default=0.0)
    summary = f"The alert's own expression {said_onset}; its largest value is {said(peak)}."
    stats = {"series": len(series), "onset": onset, "largest": rounded(peak)}
    return Finding("facts:expression", "metric", summary, call=answer.call, window=window, stats=stats)


def _has(row: Series) -> bool:
    return bool((row.values == row.values).any())


def _why(answer: Answer) -> str:
    return f" ({answer.error})" if answer.error else ""


# Alerts, changes, restarts, links.


def _other_alerts(state: State, answer: Answer, gaps: list[str]) -> list[Finding]:
    """The other alerts: those of the incident first, then what else fired in the window."""
    if answer.error:
        gaps.append(f"Other alerts could not be read ({answer.error}).")
    own = state.subject.get("alert") or {}
    rows = [*(state.subject.get("alerts") or ()), *answer.rows]
    others = [row for row in rows if not own or alert_key(row) != alert_key(own)]
    found = {alert_key(row): alert_finding(row) for row in others}
    return list(found.values())[:MAX_ROWS_SAID]


def _changes(
    tools: Tools, window: Window, alert_at: float | None, gaps: list[str]
) -> tuple[list[Finding], list[dict[str, Any]]]:
    """Every reported change from two hours before the window to its end."""
    start = min(window.start, (alert_at if alert_at is not None else window.end)) - LOOK_BACK_SECONDS
    answer = tools.changes(Window(start, window.end))
    if answer.error:
        gaps.append(f"Reported changes could not be read ({answer.error}).")
    reported = []
    for row in answer.rows:
        at = seconds_of(row.get("at"))
        if at is not None:
            told = {field: str(row.get(field) or "")[:MAX_NAME] for field in ("service", "kind", "version")}
            told["url"] = str(row.get("url") or "") if is_web_url(str(row.get("url") or "")) else ""
            reported.append({**told, "at": at, "inferred": False})
    reported.sort(key=lambda change: (change["at"], change["service"], change["kind"], change["version"]))
    if len(reported) > MAX_CHANGES:
        gaps.append(f"{len(reported) - MAX_CHANGES} earlier changes are not listed: the newest {MAX_CHANGES} are.")
        reported = reported[-MAX_CHANGES:]
    findings = {f.key: f for f in (change_finding(change, call=answer.call) for change in reported)}
    return list(findings.values()), [{**change, "key": change_finding(change).key} for change in reported]


def _restarts(tools: Tools, target: str, spans: Spans, gaps: list[str]) -> list[Finding]:
    if not target or "restarts" not in tools.families(target):
        return []
    answer = tools.metric(target, "restarts", spans.asked, spans.step)
    if answer.error:
        gaps.append(f"Restarts of {target} could not be read ({answer.error}).")
    return restarts_in(target, answer, Window(spans.window.start - LOOK_BACK_SECONDS, spans.window.end))


def links_of(alert: Mapping[str, Any]) -> list[dict[str, str]]:
    """Links of the alert's annotations and its generator, http and https only, each once."""
    given = dict(sorted((alert.get("annotations") or {}).items()))
    labelled = [(str(label), str(url)) for label, url in given.items()]
    labelled.append(("Alert rule", str(alert.get("generatorUrl") or "")))
    links: dict[str, str] = {}
    for label, url in labelled:
        if is_web_url(url):
            links.setdefault(url, label.removesuffix("_url").replace("_", " "))
    return [{"label": label, "url": url} for url, label in links.items()][:MAX_ROWS_SAID]
