"""An excerpt as people read it: without what the page says already, and without half of a pair of marks."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from documents.excerpt import Excerpt
from documents.models import Chunk

Piece = tuple[str, bool]
_HEADING = re.compile(r" {0,3}#{1,6}\s+(?P<words>.*?)[\s#]*\Z")
# The line below a heading that is underlined.
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})\s*\Z")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")


def passage(chunk: Chunk, found: Excerpt) -> list[Piece]:
    """Pieces of text, each with whether it was matched; ``…`` where the chunk goes on before or after.

    Left out are headings of the chunk's own path, which stand above the excerpt, and the fences of code, whose
    other half may lie outside. An excerpt of nothing else is given as it is.
    """
    lines = found.text.splitlines(keepends=True)
    names = {_plain(name) for name in [*chunk.heading_path, chunk.document.title]}
    ranges = list(_tidied(lines, _repeated(lines, names))) or [(0, len(found.text))]
    shown = [piece for start, end in ranges for piece in _pieces(found, start, end)]
    before = [("… ", False)] if found.start > 0 else []
    after = [(" …", False)] if chunk.text[found.start + len(found.text) :].strip() else []
    return [*before, *shown, *after]


def _repeated(lines: Sequence[str], names: set[str]) -> set[int]:
    """The numbers of the lines to leave out."""
    out = {number for number, line in enumerate(lines) if _FENCE.match(line)}
    for number, line in enumerate(lines):
        if (heading := _HEADING.match(line)) and _plain(heading["words"]) in names:
            out.add(number)
    for number, (line, below) in enumerate(pairwise(lines)):
        if line.strip() and _plain(line) in names and _UNDERLINE.match(below):
            out |= {number, number + 1}
    return out


def _tidied(lines: Sequence[str], out: set[int]) -> Iterator[tuple[int, int]]:
    """The ranges of the lines that stay: no empty one first or last, no two in a row."""
    at, gap, shown = 0, (0, 0), False
    for number, line in enumerate(lines):
        start, at = at, at + len(line)
        if number in out:
            continue
        if not line.strip():
            gap = (start, at)
            continue
        if shown and gap[1]:
            yield gap
        yield start, at
        shown, gap = True, (0, 0)


def _pieces(found: Excerpt, start: int, end: int) -> Iterator[Piece]:
    """One range of the excerpt, cut where matches begin and end; none of them goes over the end of a line."""
    at = start
    for left, right in found.matches:
        if start <= left and right <= end:
            yield found.text[at:left], False
            yield found.text[left:right], True
            at = right
    yield found.text[at:end], False


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
