"""No claim without evidence: a report is checked before it is stored, and refused whole when one claim has none.

Pure. Every object of a report that has ``evidence`` is a claim: the summary, the root cause, what speaks for and
against a candidate, a step of the timeline, a change, a quoted runbook, an action, a chart.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from typing import Any, Final

from diagnosis.reports.schema import REPORT
from diagnosis.reports.shape import Fault, faults, plain_faults
from diagnosis.states import Verdict

MAX_BYTES: Final = 256 * 1024
_NAMES_A_CAUSE: Final = (Verdict.CONFIRMED, Verdict.LIKELY)


class BadReport(ValueError):
    """The report may not be stored. ``where`` is the path of what is wrong: ``report.candidates[0].for[1]``."""

    def __init__(self, where: str, sentence: str) -> None:
        super().__init__(f"{where} {sentence}.")
        self.where = where


def checked_report(report: dict[str, Any], evidence_ids: Collection[str]) -> dict[str, Any]:
    """``report`` itself, once it is known to be of schema version 1 with each claim on evidence of ``evidence_ids``.

    Raises ``BadReport`` for the first thing that is wrong.
    """
    found = chain(plain_faults(report), faults(report, REPORT), _unfounded(report, evidence_ids), _against(report))
    for where, sentence in found:
        raise BadReport(where, sentence)
    if _size_of(report) > MAX_BYTES:
        raise BadReport("report", f"must not be larger than {MAX_BYTES // 1024} KB")
    return report


def claims_of(value: Any, where: str = "report") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every claim in a report with its path. The subject is no claim of ours: its labels may hold any word."""
    if isinstance(value, Mapping):
        if "evidence" in value:
            yield where, value
        for name, item in value.items():
            if (where, name) != ("report", "subject"):
                yield from claims_of(item, f"{where}.{name}")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from claims_of(item, f"{where}[{number}]")


def cited_in(report: Mapping[str, Any]) -> list[str]:
    """The ids of all evidence that a report cites, E2 before E10."""
    cited = {name for _, claim in claims_of(report) for name in claim["evidence"]}
    return sorted(cited, key=lambda name: int(name[1:]))


def _unfounded(report: Mapping[str, Any], evidence_ids: Collection[str]) -> Iterator[Fault]:
    known = frozenset(evidence_ids)
    for where, claim in claims_of(report):
        missing = [name for name in claim["evidence"] if name not in known]
        if missing:
            yield where, f"cites {missing[0]}, which this diagnosis does not have"


def _against(report: Mapping[str, Any]) -> Iterator[Fault]:
    """A verdict that names a cause has one, and the others have none."""
    if (report["verdict"] in _NAMES_A_CAUSE) != (report["rootCause"] is not None):
        yield "report.rootCause", f"does not go with the verdict {report['verdict']}"


def _size_of(report: Mapping[str, Any]) -> int:
    return len(json.dumps(report, ensure_ascii=False, separators=(",", ":")).encode())
