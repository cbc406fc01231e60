"""What an extractor returns. Offsets are characters of ``Extracted.text``, half open."""

from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["heading", "paragraph", "fence", "table", "list"]


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of the text that belongs together. ``path`` are the headings above it (a heading's own included)."""

    start: int
    end: int
    kind: Kind
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Extracted:
    """The stored text and its blocks, in order and apart; between two blocks is white space only."""

    text: str
    blocks: tuple[Block, ...]
    media_type: str
    encoding: str
    title: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
