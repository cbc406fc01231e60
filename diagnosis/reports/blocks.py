"""What a report consists of once it is put into an order for reading; ``markdown`` and ``html`` write it down."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Said:
    """Words that came from outside: a label, a title, a claim made of them."""

    text: str


@dataclass(frozen=True, slots=True)
class Code:
    text: str


@dataclass(frozen=True, slots=True)
class Strong:
    text: str


@dataclass(frozen=True, slots=True)
class Moment:
    """A time as the report has it: ISO 8601 in UTC."""

    time: str


@dataclass(frozen=True, slots=True)
class Link:
    """``url`` is shown as text where it is no address of the web."""

    label: str
    url: str


@dataclass(frozen=True, slots=True)
class Cited:
    """The evidence that the words before it stand on."""

    ids: Sequence[str]


# A string is a word of ours.
Piece = str | Said | Code | Strong | Moment | Link | Cited
Line = Sequence[Piece]


@dataclass(frozen=True, slots=True)
class Paragraph:
    line: Line
    muted: bool = False


@dataclass(frozen=True, slots=True)
class Bullets:
    lines: Sequence[Line]
    # Names of evidence that the lines explain, one for each: the places to which citations lead.
    anchors: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Terms:
    """A few short answers, each under its question."""

    pairs: Sequence[tuple[str, Line]]


@dataclass(frozen=True, slots=True)
class Quote:
    """Somebody's text, kept line by line."""

    text: str
    source: Line


@dataclass(frozen=True, slots=True)
class Picture:
    chart: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Group:
    title: Line
    blocks: Sequence["Block"]


Block = Paragraph | Bullets | Terms | Quote | Picture | Group


@dataclass(frozen=True, slots=True)
class Section:
    key: str
    title: str
    blocks: Sequence[Block]
