"""Payloads are written by handlers and read by templates: whatever they hold, what comes out has the expected type."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from diagnosis.reports.plain import one_line
from diagnosis.reports.urls import is_web_url

MOST = 50
LONGEST = 2_000
_EVIDENCE = re.compile("E[1-9][0-9]{0,5}")


class Claim(NamedTuple):
    """Words, and the ids of the evidence that they stand on."""

    text: str
    evidence: list[str]


class WebLink(NamedTuple):
    label: str
    url: str


def mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def items(value: Any) -> list[Any]:
    return value[:MOST] if isinstance(value, list) else []


def text(value: Any) -> str:
    """A text on one line; a number as it is written; anything else is empty."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    return one_line(str(value))[:LONGEST]


def evidence_in(value: Any) -> list[str]:
    """The evidence ids in ``["E1", …]``, or in one ``"E1"``."""
    given = [value] if isinstance(value, str) else items(value)
    return [name for name in given if isinstance(name, str) and _EVIDENCE.fullmatch(name)]


def claims_in(value: Any) -> list[Claim]:
    claims = [
        Claim(text(mapping(item).get("text")), evidence_in(mapping(item).get("evidence"))) for item in items(value)
    ]
    return [claim for claim in claims if claim.text]


def web_links(value: Any) -> list[WebLink]:
    given = [WebLink(text(mapping(item).get("label")), text(mapping(item).get("url"))) for item in items(value)]
    return [link for link in given if is_web_url(link.url)]
