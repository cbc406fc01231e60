"""The stages in their order: what the job drives, one checkpoint each."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from diagnosis.engine.analyse import run as analyse
from diagnosis.engine.collect import run as collect
from diagnosis.engine.conclude import run as conclude
from diagnosis.engine.facts import run as facts
from diagnosis.engine.hypothesise import run as hypothesise
from diagnosis.engine.intake import run as intake
from diagnosis.engine.plan import run as plan
from diagnosis.engine.publish import run as publish
from diagnosis.engine.retrieve import run as retrieve
from diagnosis.engine.scope import run as scope
from diagnosis.engine.types import Found, State, Tools
from diagnosis.states import Stage

StageFunction = Callable[[State, Tools], Found]

STAGES: Final[Mapping[str, StageFunction]] = MappingProxyType(
    {
        Stage.INTAKE: intake,
        Stage.FACTS: facts,
        Stage.SCOPE: scope,
        Stage.PLAN: plan,
        Stage.COLLECT: collect,
        Stage.ANALYSE: analyse,
        Stage.HYPOTHESISE: hypothesise,
        Stage.RETRIEVE: retrieve,
        Stage.CONCLUDE: conclude,
        Stage.PUBLISH: publish,
    }
)
