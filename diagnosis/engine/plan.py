"""Stage 4: what to ask, in which order. Only these probes are asked later, so the order decides what a limit cuts.

Result: {"probes": [{"node", "family", "why"}], "leftOut": int, "silent": [nodes without families]}.
"""

from collections.abc import Sequence
from typing import Any, Final

from diagnosis.engine.events import event
from diagnosis.engine.families import FELT
from diagnosis.engine.limits import MAX_PROBES
from diagnosis.engine.types import Found, State, Tools

_WHY = {
    0: "the alert is about it",
    1: "what users of this service feel",
    2: "did it change or restart",
    3: "is something full",
    4: "how much traffic it has",
    5: "what it uses",
}
EARLIER: Final = {"yesterday": 86_400.0, "last week": 604_800.0}
# Evidence of change is worth more near the target; beyond this distance it is asked after what is full.
_RANK = {"version": 2, "restarts": 2, "saturation": 3, "traffic": 4}


def run(state: State, tools: Tools) -> Found:
    asked_of = state.of("intake")["families"]
    wanted = []
    silent = []
    for row in state.of("scope")["nodes"]:
        families = sorted({str(family) for family in tools.families(row["node"])})
        wanted += [(_rank(family, asked_of, row), row["distance"], row["node"], family) for family in families]
        silent += [] if families else [row["node"]]
    wanted.sort()
    probes = [{"node": node, "family": family, "why": _WHY[rank]} for rank, _, node, family in wanted]
    probes = [*probes[:1], *_same_hour(state, probes[:1]), *probes[1:]]
    left_out = max(0, len(probes) - MAX_PROBES)
    probes = probes[:MAX_PROBES]
    result = {"probes": probes, "leftOut": left_out, "silent": silent}
    return Found(result, events=[event("plan.created", _payload(probes, left_out))])


def _same_hour(state: State, first: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the alert is about, at the same hour of yesterday and of last week: is this usual at this hour?"""
    if not first or first[0]["node"] != state.of("intake")["target"]:
        return []
    return [{**first[0], "why": f"was it so {word}", "earlier": seconds} for word, seconds in EARLIER.items()]


def _rank(family: str, asked_of: Sequence[str], row: dict[str, Any]) -> int:
    if family in asked_of[:1] or (row["relation"] == "target" and family in asked_of):
        return 0
    if family in FELT:
        return 1
    return _RANK.get(family, 5)


def _payload(probes: Sequence[dict[str, Any]], left_out: int) -> dict[str, Any]:
    by_node: dict[str, list[str]] = {}
    for probe in probes:
        by_node.setdefault(probe["node"], []).append(probe["family"])
    return {"probes": [{"node": node, "families": families} for node, families in by_node.items()], "leftOut": left_out}
