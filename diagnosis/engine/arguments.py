"""What speaks for a node and what against it, each with the evidence that says so."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnosis.engine.anomalies import anomaly_key
from diagnosis.engine.changes import change_finding
from diagnosis.engine.collect import metric_key
from diagnosis.engine.families import FELT, family_of
from diagnosis.engine.intake import alert_key, service_of
from diagnosis.engine.onset import SUSTAINED_SECONDS
from diagnosis.engine.times import clock, lasting, said
from diagnosis.engine.types import State, Topology

_MOST_ANOMALIES = 5
_LITTLE_ALIKE = 0.5
Claim = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Known:
    """What earlier stages found, by node."""

    target: str
    onset: float | None
    begin: float
    topology: Topology
    anomalies: Mapping[str, Sequence[Mapping[str, Any]]]
    usual: Mapping[str, Mapping[str, Any]]
    asked: Mapping[str, Sequence[tuple[str, str]]]
    changes: Sequence[Mapping[str, Any]]
    restarts: Sequence[Mapping[str, Any]]
    alerts: Mapping[str, Sequence[str]]
    before: Sequence[Claim]


def known_from(state: State, topology: Topology) -> Known:
    analysed = state.of("analyse")
    anomalies: dict[str, list[Mapping[str, Any]]] = {}
    for row in analysed["anomalies"]:
        anomalies.setdefault(row["node"], []).append(row)
    asked: dict[str, list[tuple[str, str]]] = {}
    for row in state.of("collect")["probes"]:
        if row["points"] and not row["earlier"]:
            asked.setdefault(row["node"], []).append((row["family"], metric_key(row["node"], row["family"])))
    return Known(
        target=state.of("intake")["target"],
        onset=analysed["onset"],
        begin=state.of("intake")["window"]["start"] - analysed["slack"],
        topology=topology,
        anomalies=anomalies,
        usual={row["node"]: row for row in analysed["usual"]},
        asked=asked,
        changes=analysed["changes"],
        restarts=analysed["restarts"],
        alerts=_alerts_by_service(state),
        before=analysed["before"],
    )


def _alerts_by_service(state: State) -> dict[str, list[str]]:
    """Keys of alerts that fired on each service, where they are evidence."""
    found: dict[str, list[str]] = {}
    for alert in state.subject.get("alerts") or ():
        if alert_key(alert) in state.evidence:
            found.setdefault(service_of(alert), []).append(alert_key(alert))
    return found


def arguments_for(row: Mapping[str, Any], known: Known) -> list[Claim]:
    node = row["node"]
    anomalies = sorted(known.anomalies.get(node, ()), key=lambda a: (-(a["z"] or 0.0), a["family"]))[:_MOST_ANOMALIES]
    claims = [{"text": anomaly_sentence(anomaly), "keys": list(anomaly["keys"])} for anomaly in anomalies]
    claims += _changed(row, known) + _restarted(row, known) + _came_first(row, known)
    usual = callees_as_usual(node, known)
    if usual:
        keys = [key for callee in usual for key in known.usual[callee]["keys"]]
        claims.append(
            {"text": f"What it calls, as far as it was measured, is as usual: {', '.join(usual)}.", "keys": keys}
        )
    if node != known.target and known.alerts.get(node):
        claims.append({"text": f"An alert on {node} fired too.", "keys": known.alerts[node]})
    return claims


def arguments_against(row: Mapping[str, Any], known: Known) -> list[Claim]:
    node, own = row["node"], [anomaly_key(row["node"], family) for family in row["families"]]
    claims = []
    if row["explainedBy"]:
        keys = [key for callee in row["explainedBy"] for a in known.anomalies.get(callee, ()) for key in a["keys"]]
        text = f"{', '.join(row['explainedBy'])}, which {node} calls, turned unusual at or before it."
        claims.append({"text": text, "keys": keys})
    if row["harmless"]:
        keys = [key for family, key in known.asked.get(node, ()) if family in FELT]
        claims.append({"text": f"Requests to {node} itself are answered as usual.", "keys": keys})
    if known.onset is not None and row["onset"] > known.onset + SUSTAINED_SECONDS:
        late = lasting(row["onset"] - known.onset)
        claims.append({"text": f"{node} turned unusual {late} after {known.target or 'the alert'} did.", "keys": own})
    if row["alike"] is not None and row["alike"] < _LITTLE_ALIKE:
        claims.append({"text": f"Its course is little like that of {known.target or 'the alert'}.", "keys": own})
    if not began_inside(row, known):
        text = f"{node} was unusual from the window's first value on: when that began is not known."
        claims.append({"text": text, "keys": own})
    if waits_on_others(row, known):
        keys = [key for family, key in known.asked.get(node, ()) if family_of(family).symptom == "resource"]
        text = (
            f"Its own resources are as usual: the time may be lost in its calls, on the way to {_names(node, known)}."
        )
        claims.append({"text": text, "keys": keys})
    if row["kind"] == "external":
        claims.append({"text": f"{node} is outside our systems: it is seen through its callers only.", "keys": own})
    return claims + (list(known.before) if node == known.target else [])


def began_inside(row: Mapping[str, Any], known: Known) -> bool:
    """Whether the begin was seen: a node that was unusual when the window opened may always be so at this time."""
    return bool(row["onset"] > known.begin + row["step"])


def waits_on_others(row: Mapping[str, Any], known: Known) -> bool:
    """Whether a node is slow only, uses what it always uses, changed nothing, and calls others: it may be waiting."""
    symptoms = {family_of(family).symptom for family in row["families"]}
    measured = any(family_of(family).symptom == "resource" for family, _ in known.asked.get(row["node"], ()))
    moved = row["changedAt"] is not None or row["restartedAt"] is not None
    slow_only = "latency" in symptoms and not symptoms & {"resource", "error"}
    return slow_only and measured and not moved and bool(known.topology.callees(row["node"]))


def _names(node: str, known: Known) -> str:
    callees = known.topology.callees(node)
    return ", ".join(callees[:3]) + (" and others" if len(callees) > 3 else "")


def anomaly_sentence(anomaly: Mapping[str, Any]) -> str:
    unit = family_of(anomaly["family"]).unit
    usual, worst = (said(anomaly[name], unit) if anomaly[name] is not None else "?" for name in ("usual", "worst"))
    return f"{anomaly['family']} of {anomaly['node']} went from {usual} to {worst} at {clock(anomaly['onset'])}."


def callees_as_usual(node: str, known: Known) -> list[str]:
    """The callees that were measured, when none of them is unusual; empty where one is or none was measured."""
    callees = known.topology.callees(node)
    if any(callee in known.anomalies for callee in callees):
        return []
    return [callee for callee in callees if callee in known.usual and known.usual[callee]["keys"]]


def _changed(row: Mapping[str, Any], known: Known) -> list[Claim]:
    at = row["changedAt"]
    near = [change for change in known.changes if change["service"] == row["node"] and change["at"] == at]
    return [
        {"text": f"{change_finding(change).summary} {_before(at, row['onset'])}", "keys": [change["key"]]}
        for change in near
    ]


def _restarted(row: Mapping[str, Any], known: Known) -> list[Claim]:
    at = row["restartedAt"]
    if at is None:
        return []
    text = f"{row['node']} restarted at {clock(at)}. {_before(at, row['onset'])}"
    return [{"text": text, "keys": [f"restart:{row['node']}:{at:.0f}"]}]


def _before(at: float, onset: float) -> str:
    return (
        f"That was {lasting(onset - at)} before it turned unusual." if onset > at else "It turned unusual at that time."
    )


def _came_first(row: Mapping[str, Any], known: Known) -> list[Claim]:
    if row["node"] == known.target or known.onset is None or row["onset"] > known.onset:
        return []
    keys = [key for node in (row["node"], known.target) for a in known.anomalies.get(node, ()) for key in a["keys"]]
    lead = known.onset - row["onset"]
    when = (
        f"{lasting(lead)} before {known.target or 'the alert'}"
        if lead
        else f"together with {known.target or 'the alert'}"
    )
    return [{"text": f"It turned unusual {when}.", "keys": keys}]
