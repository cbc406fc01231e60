"""Stage 7: what could it be? The nodes that stand out, each with its mechanism and what speaks for and against it.

Result: {"hypotheses": [{"node", "kind", "mechanism", "score", "onset", "channels", "inOrder", "waits", "beganInside",
"calleesUsual", "for": [claim], "against": [claim]}]}, the best first, at most five.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from diagnosis.engine.arguments import (
    Known,
    arguments_against,
    arguments_for,
    began_inside,
    callees_as_usual,
    known_from,
    waits_on_others,
)
from diagnosis.engine.events import event
from diagnosis.engine.families import FELT, family_of
from diagnosis.engine.limits import MAX_CANDIDATES
from diagnosis.engine.numbering import evidence_of, ids_after
from diagnosis.engine.onset import SUSTAINED_SECONDS
from diagnosis.engine.types import Found, State, Tools


def run(state: State, tools: Tools) -> Found:
    known = known_from(state, tools.topology())
    hypotheses = [_hypothesis(row, known) for row in state.of("analyse")["ranking"][:MAX_CANDIDATES]]
    ids = ids_after(state, ())
    return Found(
        {"hypotheses": hypotheses}, events=[event("hypothesis.added", _payload(row, ids)) for row in hypotheses]
    )


def _hypothesis(row: Mapping[str, Any], known: Known) -> dict[str, Any]:
    return {
        "node": row["node"],
        "kind": row["kind"],
        "mechanism": mechanism_of(row, known.anomalies.get(row["node"], ())),
        "score": row["score"],
        "onset": row["onset"],
        "channels": channels_of(row),
        "inOrder": known.onset is None or row["onset"] <= known.onset + SUSTAINED_SECONDS,
        "waits": waits_on_others(row, known),
        "beganInside": began_inside(row, known),
        "calleesUsual": callees_as_usual(row["node"], known),
        "for": arguments_for(row, known),
        "against": arguments_against(row, known),
    }


def channels_of(row: Mapping[str, Any]) -> list[str]:
    """The independent channels that speak for a node: requests, resources, a restart, a change."""
    symptoms = {family_of(family).symptom for family in row["families"]}
    channels = ["requests"] if symptoms & {"latency", "error", "traffic"} else []
    channels += ["resource"] if "resource" in symptoms else []
    channels += ["restart"] if row["restartedAt"] is not None else []
    return channels + (["change"] if row["changedAt"] is not None else [])


def mechanism_of(row: Mapping[str, Any], anomalies: Sequence[Mapping[str, Any]]) -> str:
    """One word: a change just before explains a resource that runs out, which explains errors and latency."""
    families = {anomaly["family"]: anomaly for anomaly in anomalies}
    if row["changedAt"] is not None:
        return "change"
    if row["explainedBy"] or row["kind"] == "external":
        return "dependency"
    if any(family_of(family).symptom == "resource" for family in families):
        return "resource"
    if "traffic" in families and _first(families["traffic"], families):
        return "traffic"
    # What stands out most on the node itself.
    strongest = next((family for family in row["families"] if family in FELT), "latency")
    return "latency" if strongest == "latency" else "error"


def _first(anomaly: Mapping[str, Any], families: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether traffic rose, and no later than anything users feel."""
    felt = [families[name]["onset"] for name in FELT if name in families]
    rose = (anomaly["worst"] or 0.0) > (anomaly["usual"] or 0.0)
    return rose and all(anomaly["onset"] <= at for at in felt)


def _payload(row: Mapping[str, Any], ids: Mapping[str, str]) -> dict[str, Any]:
    speaking = {
        side: evidence_of((k for claim in row[side] for k in claim["keys"]), ids) for side in ("for", "against")
    }
    return {"node": row["node"], "mechanism": row["mechanism"], "score": row["score"], **speaking}
