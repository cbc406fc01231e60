"""A report as Markdown. Every foreign character that means something to Markdown is escaped: the only links, headings
and lists are ours.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

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
    Strong,
    Terms,
)
from diagnosis.reports.outline import evidence_section, outline, title_of
from diagnosis.reports.plain import in_utc, number, one_line, shown
from diagnosis.reports.urls import escaped_url, is_web_url

# Anywhere in a line: emphasis, code, links, images, HTML, entities, tables, formulas, and bare addresses.
_INLINE = re.compile(r"[\\`*_\[\]<>|~&$^{}@!#]|:(?=//)|(?<=www)\.", re.IGNORECASE)
# At the start of a line: lists, rules and underlines of headings.
_LEADING = re.compile(r"^(\d{0,9})([-+=.):])")


def report_as_markdown(report: Mapping[str, Any], evidence: Mapping[str, str]) -> str:
    """``evidence``: what each piece of evidence shows, by its id (``E1``)."""
    parts = [f"# {escaped(title_of(report))}"]
    for section in [*outline(report), evidence_section(report, evidence)]:
        parts.append(f"## {escaped(section.title)}")
        parts += [text for block in section.blocks for text in _block(block)]
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """``text`` on one line, as nothing but text wherever in a line of Markdown it stands."""
    return _LEADING.sub(r"\1\\\2", _INLINE.sub(r"\\\g<0>", one_line(text)))


def _block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph(line=line):
            yield _line(line)
        case Bullets(lines=lines):
            yield "\n".join(f"- {_line(line)}" for line in lines)
        case Terms(pairs=pairs):
            yield "\n".join(f"- **{escaped(term)}:** {_line(line)}" for term, line in pairs)
        case Quote(text=text, source=source):
            yield from (_line(source), _fenced(text))
        case Picture(chart=chart):
            yield _line(list(_chart(chart)))
        case Group(title=title, blocks=blocks):
            yield f"### {_line(title)}"
            for inner in blocks:
                yield from _block(inner)


def _line(line: Line) -> str:
    return "".join(map(_piece, line)).strip()


def _piece(piece: Piece) -> str:
    match piece:
        case str():
            return piece  # Ours, with its spaces.
        case Code(text=text):
            return _code(one_line(text))
        case Strong(text=text):
            return f"**{escaped(text)}**" if text.strip() else ""
        case Moment(time=time):
            return in_utc(time)
        case Link(label=label, url=url):
            return f"[{escaped(label)}](<{escaped_url(url)}>)" if is_web_url(url) else escaped(f"{label} {url}")
        case Cited(ids=ids):
            return "".join(f"\\[{name}\\]" for name in ids)
        case Said(text=text):
            return escaped(text)


def _code(text: str) -> str:
    """A code span: longer backticks than any inside, and spaces that keep its own at its ends."""
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{ticks} {text} {ticks}" if text else ""


def _fenced(text: str) -> str:
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}text\n{shown(text).rstrip()}\n{fence}"


def _chart(chart: Mapping[str, Any]) -> Iterator[Piece]:
    """A picture in words: its title, its range, its onset."""
    values = [value for _time, value in chart["points"] if value is not None]
    yield from (Strong(chart["title"]), *((" (", Said(chart["unit"]), ")") if chart["unit"].strip() else ()), ": ")
    yield f"{number(min(values))} … {number(max(values))}" if values else _("no values")
    if chart["onset"]:
        yield from (", ", _("onset"), " ", Moment(chart["onset"]))
    yield from (" ", Cited(chart["evidence"]))
