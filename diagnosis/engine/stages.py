"""The stages in their order: what the job drives, one checkpoint each."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from diagnosis.engine import analyse, collect, conclude, facts, hypothesise, intake, plan, publish, retrieve, scope
from diagnosis.engine.types import Found, State, Tools
from diagnosis.states import Stage

StageFunction = Callable[[State, Tools], Found]

STAGES: Final[Mapping[str, StageFunction]] = MappingProxyType(
    {
        Stage.INTAKE: intake.run,
        Stage.FACTS: facts.run,
        Stage.SCOPE: scope.run,
        Stage.PLAN: plan.run,
        Stage.COLLECT: collect.run,
        Stage.ANALYSE: analyse.run,
        Stage.HYPOTHESISE: hypothesise.run,
        Stage.RETRIEVE: retrieve.run,
        Stage.CONCLUDE: conclude.run,
        Stage.PUBLISH: publish.run,
    }
)
