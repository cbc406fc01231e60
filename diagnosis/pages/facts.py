"""An alert's own facts as a page shows them: of the report where there is one, else of the event that brought them."""

from collections.abc import Mapping
from typing import Any

from diagnosis.models import Diagnosis, Report
from diagnosis.pages.pieces import claims_in, mapping, text, web_links
from diagnosis.reports.plain import parsed
from diagnosis.reports.words import duration
from jobs.models import JobEvent

FACTS_READY = "facts.ready"


def facts_of(*diagnoses: Diagnosis | None) -> dict[str, Any] | None:
    """The facts that the first of these diagnoses has found, if any has; each with its diagnosis."""
    for diagnosis in filter(None, diagnoses):
        found = _found_by(diagnosis)
        if found is not None:
            return {**facts_in(found), "diagnosis": diagnosis}
    return None


def facts_in(told: Any) -> dict[str, Any]:
    """``facts`` of a report, or the payload of ``facts.ready``, in a shape that a template cannot stumble over."""
    facts = mapping(told)
    return {
        "expression": _expression(mapping(facts.get("expression"))),
        "alerts": claims_in(facts.get("alerts")),
        "restarts": claims_in(facts.get("restarts")),
        "changes": claims_in(facts.get("changes")),
        "links": web_links(facts.get("links")),
    }


def _found_by(diagnosis: Diagnosis) -> Any:
    report = Report.objects.filter(diagnosis=diagnosis).first()
    if report is not None:
        return mapping(report.body).get("facts")
    event = JobEvent.objects.filter(job_id=diagnosis.job_id, type=FACTS_READY).order_by("-sequence").first()
    return event.payload if event is not None else None


def _expression(told: Mapping[str, Any]) -> dict[str, Any] | None:
    if not text(told.get("expr")):
        return None
    seconds = told.get("for")
    return {
        "expr": text(told["expr"]),
        "held_for": duration(seconds) if isinstance(seconds, (int, float)) and seconds > 0 else "",
        "onset": _time(told.get("onset")),
    }


def _time(told: Any) -> Any:
    try:
        return parsed(told) if isinstance(told, str) else None
    except (ValueError, OverflowError):
        return None
