"""A diagnosis' events as lines that people read. Pure and total: whatever a payload holds, a line or none comes out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

from django.utils.translation import gettext as _

from diagnosis.pages.pieces import evidence_in, items, mapping, text
from diagnosis.pages.words import family_words, stage_words, tool_words
from diagnosis.reports.words import mechanism_words
from jobs.models import JobEvent

Kind = Literal["stage", "step", "good", "bad", "evidence"]
Payload = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """``id`` is unique on the page and the same each time; ``text`` is ours, ``said`` came from outside."""

    id: str
    at: datetime
    kind: Kind
    text: str
    said: str = ""
    evidence: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Told:
    kind: Kind
    text: str
    said: str = ""
    evidence: list[str] = field(default_factory=list)


def line_of(event: JobEvent) -> Line | None:
    """The line of an event; None for one that tells people nothing."""
    teller = _TELLERS.get(event.type, _unknown(event.type))
    told = teller(mapping(event.payload))
    if told is None:
        return None
    return Line(f"event-{event.sequence}", event.created_at, told.kind, told.text, told.said, told.evidence)


def _stage(payload: Payload) -> _Told | None:
    name = text(payload.get("stage"))
    return _Told("stage", stage_words(name) or name) if name else None


def _silent(payload: Payload) -> None:
    return None


def _facts(payload: Payload) -> _Told:
    return _Told("good", _("The alert's own facts are there."))


def _plan(payload: Payload) -> _Told:
    nodes = [text(mapping(probe).get("node")) for probe in items(payload.get("probes"))]
    return _Told("step", _("Plan"), ", ".join(node for node in nodes if node) or "–")


def _asked(payload: Payload) -> _Told:
    arguments = mapping(payload.get("arguments"))
    family = family_words(text(arguments.get("family")))
    about = [family, *(text(arguments.get(name)) for name in ("node", "alert", "expr", "query"))]
    asked = _("Asked: %(what)s") % {"what": tool_words(text(payload.get("tool")))}
    return _Told("step", asked, " · ".join(filter(None, about)))


def _answered(payload: Payload) -> _Told:
    tool, evidence = tool_words(text(payload.get("tool"))), evidence_in(payload.get("evidence"))
    if text(payload.get("status")) == "failed":
        return _Told("bad", _("No answer: %(what)s") % {"what": tool}, text(payload.get("error")), evidence)
    words = [_("Answer: %(what)s") % {"what": tool}, _size(payload.get("bytes"))]
    if payload.get("truncated") is True:
        words.append(_("cut off at the limit"))
    return _Told("step", ", ".join(filter(None, words)), evidence=evidence)


def _evidence(payload: Payload) -> _Told:
    return _Told("evidence", _("Evidence"), text(payload.get("summary")), evidence_in(payload.get("evidence")))


def _hypothesis(payload: Payload) -> _Told:
    try:
        mechanism = mechanism_words(text(payload.get("mechanism")))
    except KeyError:
        mechanism = text(payload.get("mechanism"))
    said = ": ".join(filter(None, [text(payload.get("node")), mechanism]))
    return _Told("step", _("Possible explanation"), said, evidence_in(payload.get("for")))


def _runbook(payload: Payload) -> _Told:
    return _Told("good", _("Runbook"), text(payload.get("title")))


def _limit(payload: Payload) -> _Told:
    return _Told("bad", _("Limit reached"), text(payload.get("text")) or text(payload.get("limit")))


def _warning(payload: Payload) -> _Told:
    return _Told("bad", _("Warning"), text(payload.get("text")))


def _report(payload: Payload) -> _Told:
    return _Told("good", _("The report is written."))


def _unknown(type: str) -> Callable[[Payload], _Told | None]:
    return lambda payload: _Told("step", _("Event"), text(type))


def _size(value: Any) -> str:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        return ""
    return f"{value / 1024:,.1f} KB" if value >= 1024 else f"{value} B"


_TELLERS: Final[Mapping[str, Callable[[Payload], _Told | None]]] = {
    "stage.started": _stage,
    "stage.finished": _silent,
    "facts.ready": _facts,
    "plan.created": _plan,
    "tool.requested": _asked,
    "tool.finished": _answered,
    "evidence.added": _evidence,
    "hypothesis.added": _hypothesis,
    "hypothesis.updated": _hypothesis,
    "runbook.matched": _runbook,
    "limit.reached": _limit,
    "warning": _warning,
    "report.ready": _report,
}
