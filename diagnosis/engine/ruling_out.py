"""What it was not, and why: innocent changes, busy neighbours, nodes that pass trouble on, nodes that are as usual."""

from collections.abc import Mapping
from typing import Any

from diagnosis.engine.arguments import Claim, Known
from diagnosis.engine.changes import change_finding
from diagnosis.engine.types import State

_MOST = 30


def ruled_out(state: State, known: Known, *, cause: str | None) -> list[Claim]:
    """Claims, changes first; nothing is ruled out that could not be measured."""
    claims = [claim for change in known.changes if (claim := _innocent(change, known)) is not None]
    for row in state.of("hypothesise")["hypotheses"]:
        if row["node"] != cause:
            said = row["against"] if cause is not None or _harmless(state, row["node"]) else []
            claims += [{**claim, "text": f"Not {row['node']}: {claim['text']}"} for claim in said]
    claims += [
        {"text": f"{node} is as usual ({', '.join(row['families'])}).", "keys": list(row["keys"])}
        for node, row in known.usual.items()
        if row["keys"]
    ]
    return claims[:_MOST]


def _innocent(change: Mapping[str, Any], known: Known) -> Claim | None:
    """A change of a service of which everything measured is as usual."""
    usual = known.usual.get(change["service"])
    if usual is None or not usual["keys"]:
        return None
    text = f"{change_finding(change).summary} Everything measured on it is as usual."
    return {"text": text, "keys": [change["key"], *usual["keys"]]}


def _harmless(state: State, node: str) -> bool:
    return any(row["node"] == node and row["harmless"] for row in state.of("analyse")["ranking"])
