"""From judgements to an order of nodes: the strongest channel counts, not their sum.

A node whose instrumented callee turned unusual at or before it passes trouble on; an external node is seen through
its callers' eyes only, so it counts half, and is named as outside our systems."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from diagnosis.engine.onset import SUSTAINED_SECONDS
from diagnosis.engine.scoring import Judgement, strength
from diagnosis.engine.types import Topology

PASSED_ON = 0.5
EXTERNAL = 0.5
# High use of a resource, with requests as usual, harms nobody.
HARMLESS = 0.4
# A second, independent channel (a change, a restart) lets a node stand out a little.
AGREED = 1.2
# A callee explains its caller when it is at least this strong beside it: little is needed of one that turned unusual
# first, more of one that turned unusual at the same time, where the order is not known.
_EXPLAINS_BEFORE, _EXPLAINS_TOGETHER = 0.25, 0.6
# A change or restart counts when it lies this long before a node's onset.
CHANGE_BEFORE_SECONDS = 1800.0

_REQUESTS = frozenset({"latency", "error", "traffic"})


@dataclass(frozen=True, slots=True)
class Ranked:
    """A node, what spoke for it (the strongest first), and why its score is what it is."""

    node: str
    kind: str
    score: float
    onset: float
    step: float
    alike: float
    judgements: Sequence[Judgement]
    explained_by: Sequence[str] = ()
    harmless: bool = False
    changed_at: float | None = None
    restarted_at: float | None = None
    notes: Sequence[str] = field(default_factory=tuple)


def ranked(
    judgements: Mapping[str, Sequence[tuple[Judgement, float]]],
    topology: Topology,
    *,
    target: str,
    changes: Mapping[str, Sequence[float]],
    restarts: Mapping[str, Sequence[float]],
    symptoms: Mapping[str, Iterable[str]],
) -> list[Ranked]:
    """Nodes by falling score. ``judgements``: by node, each with its correlation to the target; ``symptoms``: what
    was asked and answered for each node, by mechanism."""
    first = {n: _of_node(n, rows, topology.kinds.get(n, "own"), target, symptoms) for n, rows in judgements.items()}
    there = {node: row for node, row in first.items() if row is not None}
    done = [_with_channels(_discounted(row, there, topology), changes, restarts) for row in there.values()]
    return sorted(done, key=lambda row: (-row.score, row.onset, row.node))


def _of_node(
    node: str,
    rows: Sequence[tuple[Judgement, float]],
    kind: str,
    target: str,
    symptoms: Mapping[str, Iterable[str]],
) -> Ranked | None:
    unusual = sorted(
        ((strength(j, alike), alike, j) for j, alike in rows if j.unusual), key=lambda row: (-row[0], row[2].family)
    )
    if not unusual or unusual[0][0] <= 0:
        return None
    score, alike, strongest = unusual[0]
    felt = any(j.family in FELT_FAMILIES for _, _, j in unusual)
    harmless = node != target and not felt and bool(_REQUESTS.intersection(symptoms.get(node, ())) - {"traffic"})
    score *= (EXTERNAL if kind == "external" else 1.0) * (HARMLESS if harmless else 1.0)
    return Ranked(
        node=node,
        kind=kind,
        score=score,
        onset=min(j.onset for s, _, j in unusual if j.onset is not None and s >= score / 2),
        step=float(strongest.times[1] - strongest.times[0]) if len(strongest.times) > 1 else 0.0,
        alike=alike,
        judgements=[j for _, _, j in unusual],
        harmless=harmless,
    )


FELT_FAMILIES = frozenset({"latency", "availability", "errors"})


def _discounted(row: Ranked, there: Mapping[str, Ranked], topology: Topology) -> Ranked:
    callees = _instrumented_callees(row.node, there, topology)
    explained = [callee for callee in callees if _explains(there[callee], row)]
    return replace(row, score=row.score * PASSED_ON, explained_by=explained) if explained else row


def _explains(callee: Ranked, caller: Ranked) -> bool:
    """With short steps an onset is known to a sustained stretch only; with long ones, to the step."""
    tolerance = SUSTAINED_SECONDS if caller.step < SUSTAINED_SECONDS else 0.0
    if callee.onset > caller.onset + tolerance:
        return False
    needed = _EXPLAINS_BEFORE if callee.onset < caller.onset - tolerance else _EXPLAINS_TOGETHER
    return callee.score >= needed * caller.score


def _instrumented_callees(node: str, there: Mapping[str, Ranked], topology: Topology) -> list[str]:
    """Unusual callees of our own; what lies behind an external endpoint of ours counts as called."""
    found: set[str] = set()
    for callee in topology.callees(node):
        behind = topology.callees(callee) if topology.kinds.get(callee) == "external" else [callee]
        found.update(n for n in behind if n in there and there[n].kind != "external" and n != node)
    return sorted(found)


def _with_channels(
    row: Ranked, changes: Mapping[str, Sequence[float]], restarts: Mapping[str, Sequence[float]]
) -> Ranked:
    changed, restarted = _just_before(row, changes), _just_before(row, restarts)
    agreed = changed is not None or restarted is not None
    return replace(row, changed_at=changed, restarted_at=restarted, score=row.score * AGREED if agreed else row.score)


def _just_before(row: Ranked, times: Mapping[str, Sequence[float]]) -> float | None:
    """The last of the node's times in the half hour before its onset; one sustained stretch later still counts."""
    late = row.onset + max(SUSTAINED_SECONDS, row.step)
    near = [at for at in times.get(row.node, ()) if row.onset - CHANGE_BEFORE_SECONDS <= at <= late]
    return max(near, default=None)
