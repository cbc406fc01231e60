"""Evidence as a page shows it: what it says, and behind it how it was found."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from diagnosis.models import Diagnosis, Evidence
from diagnosis.pages.pieces import text
from diagnosis.pages.words import evidence_words, family_words, tool_words
from diagnosis.reports.plain import number, shown

MOST_VALUES = 20


@dataclass(frozen=True, slots=True)
class Proof:
    """A piece of evidence: ``asked`` is the question it answers, ``values`` are its figures, ``quoted`` its words."""

    evidence: Evidence
    name: str
    kind: str
    asked: str
    values: list[tuple[str, str]]
    quoted: str


def evidence_of(diagnosis: Diagnosis) -> QuerySet[Evidence]:
    rows = Evidence.objects.filter(diagnosis=diagnosis).select_related("tool_call").order_by("number")
    return rows.defer("tool_call__answer")


def proof_of(evidence: Evidence) -> Proof:
    quoted = evidence.sample.get("text") if isinstance(evidence.sample, dict) else None
    return Proof(
        evidence=evidence,
        name=f"E{evidence.number}",
        kind=evidence_words(evidence.kind),
        asked=_asked(evidence),
        values=list(_values(evidence.stats)),
        quoted=shown(quoted) if isinstance(quoted, str) else "",
    )


def _asked(evidence: Evidence) -> str:
    call = evidence.tool_call
    if call is None:
        return ""
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    family = family_words(text(arguments.get("family")))
    about = [family, *(text(arguments.get(name)) for name in ("node", "alert", "expr", "query"))]
    return " · ".join(filter(None, [tool_words(call.tool), *about]))


def _values(stats: Any) -> Iterator[tuple[str, str]]:
    if isinstance(stats, Mapping):
        for name, value in list(stats.items())[:MOST_VALUES]:
            told = number(value) if isinstance(value, float) and value == value else text(value)
            if told:
                yield text(name), told
