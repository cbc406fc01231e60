"""A report as HTML without script and without anything from elsewhere: a page of its own, or a part of one of ours."""

import base64
import hashlib
from collections.abc import Mapping
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from diagnosis.reports.blocks import (
    Block,
    Bullets,
    Cited,
    Code,
    Group,
    Line,
    Link,
    Moment,
    Paragraph,
    Picture,
    Piece,
    Quote,
    Said,
    Section,
    Strong,
    Terms,
)
from diagnosis.reports.charts import chart_figure
from diagnosis.reports.markup import element, joined
from diagnosis.reports.outline import evidence_section, outline, title_of
from diagnosis.reports.plain import in_utc, parsed
from diagnosis.reports.urls import escaped_url, is_web_url

_STYLES = Path(__file__).resolve().parent.parent / "static" / "diagnosis"


def report_as_page(report: Mapping[str, Any], evidence: Mapping[str, str]) -> str:
    """A whole page that stands by itself. ``evidence``: what each piece shows, by its id (``E1``)."""
    title = title_of(report)
    sections = [*outline(report), evidence_section(report, evidence)]
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        element("style", page_style()),
    )
    heading = element("h1", element("bdi", title))
    body = element("body", element("main", heading, *map(_section, sections), class_=_classes(report)))
    return f"<!doctype html>\n{element('html', head, body, lang=get_language() or 'en')}\n"


def report_as_fragment(report: Mapping[str, Any]) -> SafeString:
    """The sections of a report, for a page with ``report.css`` where each piece of evidence is ``id="E1"``."""
    return element("div", *map(_section, outline(report)), class_=_classes(report))


@lru_cache(maxsize=1)
def page_style() -> SafeString:
    """The style of the page: a constant, so that a policy can name it by its hash."""
    texts = [(_STYLES / name).read_text(encoding="utf-8") for name in ("page.css", "report.css")]
    return mark_safe("\n" + "\n".join(texts))  # Our own files.


@lru_cache(maxsize=1)
def page_policy() -> str:
    """The policy under which the page is served: nothing but its own style, and no origin of its own."""
    digest = base64.b64encode(hashlib.sha256(page_style().encode()).digest()).decode()
    return f"sandbox; default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _classes(report: Mapping[str, Any]) -> str:
    return f"report verdict-{report['verdict'].replace('_', '-')}"


def _section(section: Section) -> SafeString:
    heading = element("h2", section.title)
    return element("section", heading, *map(_block, section.blocks), class_=f"report-{section.key}")


def _block(block: Block) -> SafeString:
    match block:
        case Paragraph(line=line, muted=muted):
            return element("p", _line(line), class_="muted" if muted else None)
        case Bullets(lines=lines, anchors=anchors):
            named = zip_longest(lines, anchors)
            return element("ul", *(element("li", _line(line), id=anchor) for line, anchor in named))
        case Terms(pairs=pairs):
            rows = (element("div", element("dt", term), element("dd", _line(line))) for term, line in pairs)
            return element("dl", *rows)
        case Quote(text=text, source=source):
            return element("figure", element("figcaption", _line(source)), _quoted(text), class_="quote")
        case Picture(chart=chart):
            return chart_figure(chart, citations=_piece(Cited(chart["evidence"])))
        case Group(title=title, blocks=blocks):
            return element("section", element("h3", _line(title)), *map(_block, blocks))


def _quoted(text: str) -> SafeString:
    return element("blockquote", text, dir="auto", class_="quoted")


def _line(line: Line) -> SafeString:
    return joined(*map(_piece, line))


def _piece(piece: Piece) -> SafeString:
    match piece:
        case str():
            return joined(piece)
        case Said(text=text):
            return element("bdi", text)
        case Code(text=text):
            return element("code", text)
        case Strong(text=text):
            return element("strong", element("bdi", text))
        case Moment(time=time):
            return element("time", in_utc(time), datetime=parsed(time).isoformat().replace("+00:00", "Z"))
        case Link(label=label, url=url) if is_web_url(url):
            return element("a", element("bdi", label), href=escaped_url(url), rel="noopener noreferrer nofollow")
        case Link(label=label, url=url):
            return element("bdi", f"{label} {url}")
        case Cited(ids=ids):
            links = [element("a", name, href=f"#{name}", class_="cited") for name in ids]
            return element("span", *links, class_="citations")
