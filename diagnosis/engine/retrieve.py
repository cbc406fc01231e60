"""Stage 9: what do our runbooks say? One query, made from the alert's name, the service and the mechanism.

Result: {"query", "runbooks": [{"documentId", "title", "headingPath", "text", "lines", "keys"}], "actions": [{"text",
"documentId", "title", "keys"}], "gaps": [sentence]}. Actions are quoted, never written.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from diagnosis.engine.events import event
from diagnosis.engine.instructions import orders_in, reads_like_an_order
from diagnosis.engine.types import Finding, Found, State, Tools

LIMIT = 3
# A search always has a best hit; below this it is not about the incident.
FLOOR = 0.3
_MOST_TEXT = 4000
_MOST_ACTIONS = 6
_WORDS = {
    "change": "deploy rollback",
    "resource": "exhausted pool saturation",
    "error": "errors failing",
    "dependency": "dependency unavailable",
    "traffic": "traffic overload",
    "latency": "latency slow",
}
_CURE = re.compile(
    r"put it right|fix|mitigat|remed|resolv|recover|rollback|roll back|what to do|action|repair|处理|解决|恢复|修复",
    re.I,
)
# "A rollback does not help when", "What not to do": what stands there is a warning.
_CAVEAT = re.compile(r"\b(?:not|never|avoid|without|unless)\b|n['’]t\b|不要|切勿|避免", re.I)
_ITEM = re.compile(r"^(?:[-*+]|\d{1,2}[.)])\s+(\S.*)$")
_HEADING = re.compile(r"^#{1,6}\s+(\S.*)$")


def run(state: State, tools: Tools) -> Found:
    query = query_of(state)
    if not query:
        return Found({"query": "", "runbooks": [], "actions": [], "gaps": []})
    answer = tools.runbooks(query, LIMIT)
    rows = [row for row in answer.rows if float(row.get("score") or 0.0) >= FLOOR][:LIMIT]
    passages = [_passage(row, number) for number, row in enumerate(rows, start=1)]
    actions = [action for passage in passages for action in actions_of(passage)][:_MOST_ACTIONS]
    gaps = [f"The runbooks could not be searched ({answer.error})."] if answer.error else []
    findings = [_finding(passage, answer.call) for passage in passages]
    orders = orders_in((f"the runbook {passage['title'][:80]}, passage {n}", passage["text"])
                       for n, passage in enumerate(passages, start=1))  # fmt: skip
    result = {"query": query, "runbooks": passages, "actions": actions, "gaps": gaps}
    matched = [event("runbook.matched", {"documentId": p["documentId"], "title": p["title"]}) for p in passages]
    return Found(result, [*findings, *orders], matched)


def query_of(state: State) -> str:
    """Alert name, the best node and the target, the mechanism's words; an order hidden in a name is left out."""
    intake = state.of("intake")
    best: Sequence[Mapping[str, Any]] = state.of("hypothesise")["hypotheses"][:1]
    parts = [intake["alertName"], *(row["node"] for row in best), intake["target"]]
    parts += [_WORDS[row["mechanism"]] for row in best]
    kept = [part for part in dict.fromkeys(parts) if part and not reads_like_an_order(part)]
    return " ".join(kept)[:400]


def _passage(row: Mapping[str, Any], number: int) -> dict[str, Any]:
    document = str(row.get("documentId") or "")
    first, last = [*(row.get("lines") or ()), 0, 0][:2]
    return {
        "documentId": document,
        "title": str(row.get("title") or ""),
        "headingPath": [str(heading) for heading in row.get("headingPath") or ()],
        "text": str(row.get("text") or "")[:_MOST_TEXT],
        "lines": [int(first), int(last)],
        "keys": [f"runbook:{number}:{document}"],
    }


def _finding(passage: Mapping[str, Any], call: int) -> Finding:
    heading = " › ".join(passage["headingPath"]) or "its beginning"
    summary = f"The runbook {passage['title']} speaks of this ({heading})."
    return Finding(passage["keys"][0], "runbook", summary, call=call, sample={"text": passage["text"][:500]})


def actions_of(passage: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The list items that stand under a heading about the cure, word for word; never a line that gives us orders."""
    curing = bool(passage["headingPath"]) and _speaks_of_the_cure(passage["headingPath"][-1])
    actions = []
    for line in _joined(passage["text"]):
        heading, item = _HEADING.match(line), _ITEM.match(line)
        if heading:
            curing = _speaks_of_the_cure(heading[1])
        elif item and curing and not reads_like_an_order(item[1]):
            source = {"documentId": passage["documentId"], "title": passage["title"], "keys": passage["keys"]}
            actions.append({"text": item[1].strip()[:500], **source})
    return actions


def _speaks_of_the_cure(heading: str) -> bool:
    return _CURE.search(heading) is not None and _CAVEAT.search(heading) is None


def _joined(text: str) -> list[str]:
    """Lines, an indented line of prose joined to the item that it goes on with; code blocks left out."""
    lines: list[str] = []
    fenced = False
    for line in text.splitlines():
        if line.strip().startswith("```"):
            fenced = not fenced
        elif not fenced and lines and line.startswith("  ") and line.strip() and _ITEM.match(lines[-1]):
            lines[-1] += " " + line.strip()
        elif not fenced:
            lines.append(line)
    return lines
