"""Stage 3: who could it be? The target, its callees within four hops, its callers within one.

Result: {"nodes": [{"node", "kind", "distance", "relation", "known"}], "notes": [sentences]}.
"""

from typing import Any

from diagnosis.engine.limits import CALLEE_HOPS, CALLER_HOPS
from diagnosis.engine.types import Found, State, Tools, Topology


def run(state: State, tools: Tools) -> Found:
    intake = state.of("intake")
    topology = tools.topology()
    nodes = _around(topology, intake["target"]) if intake["target"] else _everyone(topology)
    unknown = [row["node"] for row in nodes if not row["known"]]
    notes = [f"{node} is not in the service catalogue: what it calls is unknown." for node in unknown]
    if not nodes:
        notes.append("The service catalogue is empty and the alert names no service.")
    return Found({"nodes": nodes, "notes": notes})


def _around(topology: Topology, target: str) -> list[dict[str, Any]]:
    below = _reached(target, CALLEE_HOPS, topology.callees)
    above = _reached(target, CALLER_HOPS, topology.callers)
    rows = [_row(topology, node, hops, "callee" if hops else "target") for node, hops in below.items()]
    rows += [_row(topology, node, hops, "caller") for node, hops in above.items() if node not in below]
    return sorted(rows, key=lambda row: (row["distance"], row["relation"] == "caller", row["node"]))


def _everyone(topology: Topology) -> list[dict[str, Any]]:
    names = {*topology.kinds, *(node for edge in topology.edges for node in edge)}
    return [_row(topology, node, 1, "other") for node in sorted(names)]


def _row(topology: Topology, node: str, hops: int, relation: str) -> dict[str, Any]:
    known = node in topology.kinds or any(node in edge for edge in topology.edges)
    kind = topology.kinds.get(node, "own")
    return {"node": node, "kind": kind, "distance": hops, "relation": relation, "known": known}


def _reached(start: str, hops: int, neighbours: Any) -> dict[str, int]:
    """Nodes within ``hops`` to their distance, breadth first; a cycle ends where it was seen before."""
    distance, edge = {start: 0}, [start]
    for hop in range(1, hops + 1):
        edge = sorted({near for node in edge for near in neighbours(node)} - distance.keys())
        distance.update(dict.fromkeys(edge, hop))
    return distance
