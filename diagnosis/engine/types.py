"""What the engine works with. Times are seconds since the epoch (floats), values are numpy arrays with NaN for gaps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np

from diagnosis.states import Stage

NodeKind = Literal["own", "external", "client"]


@dataclass(frozen=True, slots=True)
class Window:
    """From ``start`` to ``end``, both included."""

    start: float
    end: float

    @property
    def seconds(self) -> float:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Series:
    """One metric of one node over time: ``values[i]`` at ``start + i * step``; NaN where nothing was recorded."""

    node: str
    family: str
    name: str
    start: float
    step: float
    values: np.ndarray

    @property
    def times(self) -> np.ndarray:
        return self.start + self.step * np.arange(len(self.values))


@dataclass(frozen=True, slots=True)
class Topology:
    """The services and who calls whom (caller, callee). An unknown node has kind ``own``."""

    kinds: Mapping[str, NodeKind] = field(default_factory=dict)
    edges: Sequence[tuple[str, str]] = ()

    def callees(self, node: str) -> list[str]:
        return sorted({callee for caller, callee in self.edges if caller == node})

    def callers(self, node: str) -> list[str]:
        return sorted({caller for caller, callee in self.edges if callee == node})


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool gave: ``rows`` by its kind, and the number of the stored call: the same question, the same number."""

    call: int
    rows: Sequence[Any]
    error: str = ""
    truncated: bool = False


class Tools(Protocol):
    """The questions an engine may ask. Every answer is stored; none raises for what a source does wrong."""

    def topology(self) -> Topology:
        """The catalogue as it was when the diagnosis began."""

    def families(self, node: str) -> Sequence[str]:
        """The metric families that the catalogue can ask for ``node``."""

    def metric(self, node: str, family: str, window: Window, step: float) -> Answer:
        """Rows: ``Series`` of that family and node, from every source that has it."""

    def rule(self, alert_name: str) -> Answer:
        """Rows: ``{"expr": PromQL, "for": seconds, "source": name}`` of the alert's rule, where a source knows it."""

    def expression(self, expr: str, window: Window, step: float) -> Answer:
        """Rows: ``Series`` (node "" and family "expression") of a PromQL expression."""

    def alerts(self, window: Window) -> Answer:
        """Rows: ``{"id", "name", "service", "state", "startsAt", "endsAt", "labels"}`` of alerts of this owner."""

    def changes(self, window: Window) -> Answer:
        """Rows: ``{"service", "kind", "at", "version", "url"}`` that were reported in the window."""

    def runbooks(self, query: str, limit: int) -> Answer:
        """Rows: ``{"documentId", "title", "headingPath", "text", "score", "lines": [first, last]}``."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A piece of evidence before it has a number. ``key`` is unique in a diagnosis and made of what it says."""

    key: str
    kind: str
    summary: str
    node: str = ""
    call: int | None = None
    window: Window | None = None
    stats: Mapping[str, Any] = field(default_factory=dict)
    sample: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Found:
    """What a stage leaves: its result (JSON), new evidence, and events (type, payload) beside the usual ones."""

    result: Mapping[str, Any] = field(default_factory=dict)
    findings: Sequence[Finding] = ()
    events: Sequence[tuple[str, Mapping[str, Any]]] = ()


@dataclass(frozen=True, slots=True)
class State:
    """Everything a stage may read. ``subject``: what the diagnosis is about; ``results``: by stage; ``evidence``: keys
    of stored findings to their numbers, in order."""

    subject: Mapping[str, Any]
    results: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    evidence: Mapping[str, int] = field(default_factory=dict)

    def of(self, stage: str) -> Mapping[str, Any]:
        """The result of an earlier stage; empty where it has not run."""
        assert stage in Stage.ALL, stage
        return self.results.get(stage, {})
