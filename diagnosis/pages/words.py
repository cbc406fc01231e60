"""The words for what a diagnosis does and how it stands."""

from django.utils.translation import gettext as _

from diagnosis.states import Stage


def stage_words(stage: str) -> str:
    """What is being done in a stage; empty for one that is not known."""
    return {
        Stage.INTAKE: _("Reading the alert"),
        Stage.FACTS: _("Gathering the alert's own facts"),
        Stage.SCOPE: _("Choosing where to look"),
        Stage.PLAN: _("Planning what to ask"),
        Stage.COLLECT: _("Asking the data sources"),
        Stage.ANALYSE: _("Comparing with usual times"),
        Stage.HYPOTHESISE: _("Weighing explanations"),
        Stage.RETRIEVE: _("Looking into the runbooks"),
        Stage.CONCLUDE: _("Drawing the conclusion"),
        Stage.PUBLISH: _("Writing the report"),
    }.get(stage, "")


def stage_number(stage: str) -> int:
    """From 1; 0 before the first."""
    return Stage.ALL.index(stage) + 1 if stage in Stage.ALL else 0


def tool_words(tool: str) -> str:
    """What a tool is asked for."""
    return {
        "topology": _("services and their calls"),
        "families": _("metrics that exist"),
        "metric": _("metric"),
        "rule": _("rule of the alert"),
        "expression": _("expression of the alert"),
        "alerts": _("other alerts"),
        "changes": _("reported changes"),
        "runbooks": _("runbooks"),
    }.get(tool, tool)


def family_words(family: str) -> str:
    return {
        "latency": _("latency"),
        "availability": _("availability"),
        "errors": _("errors"),
        "traffic": _("traffic"),
        "cpu": _("CPU"),
        "memory": _("memory"),
        "saturation": _("saturation"),
        "restarts": _("restarts"),
        "version": _("version"),
        "network": _("network"),
    }.get(family, family)


def evidence_words(kind: str) -> str:
    return {
        "metric": _("metric"),
        "alert": _("alert"),
        "change": _("change"),
        "restart": _("restart"),
        "runbook": _("runbook"),
        "question": _("question"),
        "traffic": _("too little traffic"),
        "instruction": _("reads like an instruction; it was not followed"),
    }.get(kind, kind.replace("_", " "))
