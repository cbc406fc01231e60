"""All stages in a row, in memory: what the job does with checkpoints, for the command, the tests and the benchmarks."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from diagnosis.claims import checked_report
from diagnosis.engine import STAGES
from diagnosis.engine.types import Finding, State, Tools
from diagnosis.states import Stage


@dataclass(frozen=True, slots=True)
class Diagnosed:
    """``report``: schema version 1. ``evidence``: E1, E2 … in order. ``state``: every stage's result."""

    report: Mapping[str, Any]
    evidence: Mapping[str, Finding]
    state: State

    @property
    def ranking(self) -> list[str]:
        """The nodes in their order, the likeliest first."""
        return [row["node"] for row in self.state.of(Stage.ANALYSE)["ranking"]]


def diagnose(subject: Mapping[str, Any], tools: Tools) -> Diagnosed:
    """Runs every stage. Results go through JSON between stages, as they do when a job keeps them."""
    state, evidence = State(subject), dict[str, Finding]()
    for stage in Stage.ALL:
        found = STAGES[stage](state, tools)
        numbers = dict(state.evidence)
        for finding in found.findings:
            if finding.key not in numbers:
                numbers[finding.key] = len(numbers) + 1
                evidence[f"E{len(numbers)}"] = finding
        result = json.loads(json.dumps(found.result, allow_nan=False))
        state = State(subject, {**state.results, stage: result}, numbers)
    report = state.of(Stage.PUBLISH)["report"]
    return Diagnosed(checked_report(report, evidence.keys()), evidence, state)
