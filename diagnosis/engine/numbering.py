"""Evidence by key in the engine, by number (E1, E2 …) in reports and events."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from diagnosis.engine.types import Finding, State


def ids_after(state: State, findings: Sequence[Finding]) -> dict[str, str]:
    """Keys to ids as they will be once the driver has stored ``findings``: numbered on, in order, a known key kept."""
    numbers = dict(state.evidence)
    for finding in findings:
        numbers.setdefault(finding.key, max(numbers.values(), default=0) + 1)
    return {key: f"E{number}" for key, number in numbers.items()}


def cited(claim: Mapping[str, Any], ids: Mapping[str, str]) -> dict[str, Any] | None:
    """A claim {"text", "keys"} with evidence ids; None where none of its evidence lives: then nobody may say it."""
    evidence = evidence_of(claim["keys"], ids)
    return {"text": claim["text"], "evidence": evidence} if evidence else None


def all_cited(claims: Iterable[Mapping[str, Any]], ids: Mapping[str, str]) -> list[dict[str, Any]]:
    return [said for claim in claims if (said := cited(claim, ids)) is not None]


def evidence_of(keys: Iterable[str], ids: Mapping[str, str]) -> list[str]:
    """Ids of the keys that live, each once, by number."""
    return sorted({ids[key] for key in keys if key in ids}, key=lambda identifier: int(identifier[1:]))
