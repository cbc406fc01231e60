"""Stage 10: which word has been earned?

confirmed      two independent channels on the node, one of them a change or a restart just before its onset; onset no
               later than the target's; what it calls was measured and is as usual; clearly ahead of the others. The
               stage that puts a hypothesis to a test of its own is not built yet: until then the callees that were
               asked and found as usual are the only attempt to refute it, and no other way leads to this word.
likely         a clear lead in the right order, begun inside the window, not merely slow while it may be waiting on
               others; its target unusual too, or so strong that the alert alone will do.
inconclusive   unusual things were seen and none stands out, or too little could be seen.
no_anomaly     the target was measured and neither it nor anything around it is unusual.

Result: {"verdict", "summary": claim, "rootCause": {...} | null, "ruledOut": [claim], "unknown": [...], "dataGaps":
[...], "limits": [...]}.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from diagnosis.engine.arguments import known_from
from diagnosis.engine.events import event
from diagnosis.engine.ruling_out import ruled_out
from diagnosis.engine.times import clock
from diagnosis.engine.types import Found, State, Tools
from diagnosis.states import Verdict

# ln(1 + z) at z = 3 and a course that is half like the target's: below this nothing stands out.
LEAST_SCORE = 0.7
A_LITTLE_AHEAD, AHEAD = 1.05, 1.15
_SAID_OF = {
    "change": "a change of {node}",
    "resource": "a resource of {node} that runs out",
    "error": "errors of {node}",
    "dependency": "{node}, outside of what its callers control",
    "traffic": "more traffic than usual on {node}",
    "latency": "slow answers of {node}",
}


def run(state: State, tools: Tools) -> Found:
    hypotheses = state.of("hypothesise")["hypotheses"]
    verdict = verdict_of(state, hypotheses)
    best = hypotheses[0] if hypotheses and verdict in (Verdict.CONFIRMED, Verdict.LIKELY) else None
    data_gaps = _data_gaps(state)
    result = {
        "verdict": verdict,
        "summary": _summary(state, verdict, hypotheses),
        "rootCause": _root_cause(best) if best else None,
        "ruledOut": ruled_out(state, known_from(state, tools.topology()), cause=best["node"] if best else None),
        "unknown": _unknown(state),
        "dataGaps": data_gaps,
        "limits": list(state.of("collect")["limits"]),
    }
    events = [event("warning", {"text": text}) for text in data_gaps[:10]]
    return Found(result, events=events)


def verdict_of(state: State, hypotheses: Sequence[Mapping[str, Any]]) -> str:
    analysed = state.of("analyse")
    if not hypotheses:
        seen = bool(analysed["usual"]) and not analysed["anomalies"] and not analysed["thin"]
        return Verdict.NO_ANOMALY if seen and _target_was_seen(state) else Verdict.INCONCLUSIVE
    best = hypotheses[0]
    if not _stands_out(state, hypotheses):
        return Verdict.INCONCLUSIVE
    agreed = len(best["channels"]) >= 2 and bool({"change", "restart"}.intersection(best["channels"]))
    return Verdict.CONFIRMED if agreed and best["calleesUsual"] and _clear(hypotheses) else Verdict.LIKELY


def _target_was_seen(state: State) -> bool:
    target = state.of("intake")["target"]
    return any(row["node"] == target for row in state.of("analyse")["usual"])


def _stands_out(state: State, hypotheses: Sequence[Mapping[str, Any]]) -> bool:
    """Strong enough, in order, not usual at this hour, a little ahead; thrice as strong where only the alert says
    that the target is in trouble."""
    best, analysed = hypotheses[0], state.of("analyse")
    least = LEAST_SCORE if analysed["target"] is not None else 3 * LEAST_SCORE
    complained = analysed["target"] is not None or bool(state.subject.get("alert"))
    fit = complained and best["score"] >= least and best["inOrder"] and best["beganInside"] and not best["waits"]
    return fit and not analysed["before"] and _ahead(hypotheses, A_LITTLE_AHEAD)


def _clear(hypotheses: Sequence[Mapping[str, Any]]) -> bool:
    return _ahead(hypotheses, AHEAD)


def _ahead(hypotheses: Sequence[Mapping[str, Any]], margin: float) -> bool:
    return len(hypotheses) < 2 or hypotheses[0]["score"] >= margin * hypotheses[1]["score"]


def _summary(state: State, verdict: str, hypotheses: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    target = state.of("intake")["target"] or "the services"
    if verdict in (Verdict.CONFIRMED, Verdict.LIKELY):
        best = hypotheses[0]
        what = _SAID_OF[best["mechanism"]].format(node=best["node"])
        word = "The cause" if verdict == Verdict.CONFIRMED else "The likely cause"
        text = f"{word} of the trouble of {target} is {what}, unusual since {clock(best['onset'])}."
        return {"text": text, "keys": [key for claim in best["for"] for key in claim["keys"]]}
    if verdict == Verdict.NO_ANOMALY:
        keys = [key for row in state.of("analyse")["usual"] for key in row["keys"]]
        return {"text": f"Nothing unusual was seen on {target} or around it.", "keys": keys}
    if hypotheses:
        nodes = ", ".join(row["node"] for row in hypotheses[:3])
        keys = [key for row in hypotheses[:3] for claim in row["for"] for key in claim["keys"]]
        return {"text": f"Unusual things were seen ({nodes}), and none of them stands out as the cause.", "keys": keys}
    return {"text": f"No cause can be named for {target}: too little could be measured.", "keys": ["question"]}


def _root_cause(best: Mapping[str, Any]) -> dict[str, Any]:
    keys = [key for claim in best["for"] for key in claim["keys"]]
    return {**{name: best[name] for name in ("node", "kind", "mechanism", "onset")}, "keys": keys}


def _unknown(state: State) -> list[str]:
    analysed = state.of("analyse")
    unknown = [*state.of("intake")["notes"], *state.of("scope")["notes"], *analysed["notes"]]
    measured = {row["node"] for row in state.of("collect")["probes"] if row["points"]}
    for change in analysed["changes"]:
        if change["service"] not in measured:
            unknown.append(f"{change['service'] or 'Something'} changed at {clock(change['at'])} and was not measured.")
    unknown += [f"Too few requests reached {row['node']} to judge it." for row in analysed["thin"]]
    return list(dict.fromkeys(unknown))


def _data_gaps(state: State) -> list[str]:
    collected = state.of("collect")
    gaps = [*state.of("facts")["gaps"], *collected["gaps"], *state.of("retrieve")["gaps"]]
    silent = state.of("plan")["silent"]
    if silent:
        gaps.append(f"Nothing can be measured of {', '.join(silent)}: no metrics are configured for it.")
    if not any(row["points"] for row in collected["probes"]):
        gaps.append("No data source gave any values: connect one, and check that the catalogue names its metrics.")
    return list(dict.fromkeys(gaps))
