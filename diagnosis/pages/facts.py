"""An alert's own facts as a page shows them: of the report where there is one, else of the event that brought them."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from diagnosis.models import Diagnosis, Report
from diagnosis.pages.pieces import claims_in, mapping, text, web_links
from diagnosis.reports.charts import chart_figure
from diagnosis.reports.plain import parsed
from diagnosis.reports.words import duration
from jobs.models import JobEvent

FACTS_READY = "facts.ready"


def facts_of(*diagnoses: Diagnosis | None) -> dict[str, Any] | None:
    """The facts that the first of these diagnoses has found, if any has; with the diagnosis and the alert's graph."""
    for diagnosis in filter(None, diagnoses):
        body, told = _found_by(diagnosis)
        if told is not None:
            return {**facts_in(told), "diagnosis": diagnosis, "figures": list(_figures(diagnosis, body))}
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


def _found_by(diagnosis: Diagnosis) -> tuple[Mapping[str, Any], Any]:
    """The report, empty where there is none yet, and the facts, None where there are none yet."""
    report = Report.objects.filter(diagnosis=diagnosis).first()
    if report is not None:
        return report.body, report.body["facts"]
    event = JobEvent.objects.filter(job_id=diagnosis.job_id, type=FACTS_READY).order_by("-sequence").first()
    return {}, event.payload if event is not None else None


def _figures(diagnosis: Diagnosis, body: Mapping[str, Any]) -> Iterator[SafeString]:
    """The graph of the alert's expression; where there is none, the report's first: that is of what the alert is about.

    Its evidence is on the diagnosis' page.
    """
    charts = body.get("charts", [])
    for chart in [chart for chart in charts if chart["family"] == "expression"] or charts[:1]:
        cited = {"names": chart["evidence"], "evidence_page": diagnosis.pk}
        yield chart_figure(chart, citations=render_to_string("diagnosis/cited.html", cited))


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
