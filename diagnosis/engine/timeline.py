"""What happened when, and who feels it."""

from collections.abc import Mapping
from typing import Any

from diagnosis.engine.arguments import Claim, anomaly_sentence
from diagnosis.engine.changes import change_finding
from diagnosis.engine.intake import alert_finding, alert_key
from diagnosis.engine.numbering import evidence_of
from diagnosis.engine.times import iso, seconds_of
from diagnosis.engine.types import State

_MOST = 60


def timeline_of(state: State, ids: Mapping[str, str]) -> list[dict[str, Any]]:
    """Changes, restarts, onsets and alerts by time; at one time, what could be a cause comes first."""
    events = [*_changes(state), *_restarts(state), *_onsets(state), *_alerts(state)]
    rows = [
        {"at": iso(at), "text": text, "evidence": evidence}
        for at, _, text, keys in sorted(events, key=lambda event: event[:3])
        if (evidence := evidence_of(keys, ids))
    ]
    return rows[:_MOST]


Event = tuple[float, int, str, list[str]]


def _changes(state: State) -> list[Event]:
    return [(c["at"], 0, change_finding(c).summary, [c["key"]]) for c in state.of("analyse")["changes"]]


def _restarts(state: State) -> list[Event]:
    claims = {c["keys"][0]: c for part in ("facts", "analyse") for c in state.of(part)["restarts"]}
    return [(float(key.rpartition(":")[2]), 1, claim["text"], [key]) for key, claim in claims.items()]


def _onsets(state: State) -> list[Event]:
    return [(a["onset"], 2, anomaly_sentence(a), list(a["keys"])) for a in state.of("analyse")["anomalies"]]


def _alerts(state: State) -> list[Event]:
    alerts = [state.subject.get("alert"), *(state.subject.get("alerts") or ())]
    found = {alert_key(alert): alert for alert in alerts if alert}
    return [
        (at, 3, alert_finding(alert).summary, [key])
        for key, alert in found.items()
        if (at := seconds_of(alert.get("startsAt"))) is not None
    ]


def impact_of(state: State) -> list[Claim]:
    """What the users of the target and of its callers feel."""
    felt = {row["node"] for row in state.of("scope")["nodes"] if row["relation"] in ("target", "caller")}
    rows = [a for a in state.of("analyse")["anomalies"] if a["node"] in felt]
    claims = [{"text": anomaly_sentence(anomaly), "keys": list(anomaly["keys"])} for anomaly in rows]
    alerts = [alert_key(alert) for alert in state.subject.get("alerts") or ()]
    if alerts:
        claims.append({"text": f"{len(alerts)} alerts of this incident fired.", "keys": alerts})
    return claims
