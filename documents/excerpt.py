"""The part of a chunk that shows why it was found."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from documents.tokens import matches

EXCERPT_CHARACTERS = 320
# How far an end of the window moves to spare a word.
_SPARED = EXCERPT_CHARACTERS // 8
_SPACE = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A slice of a chunk's text from ``start`` on; ``matches`` are ranges of the excerpt."""

    text: str
    start: int
    matches: tuple[tuple[int, int], ...]


def excerpt(text: str, terms: Collection[str]) -> Excerpt:
    """The window of ``text`` with the most matched words; it begins and ends at a word where the end of one is near."""
    found = matches(text, terms)
    start = _best_start(text, found)
    end = _end(text, start)
    inside = tuple((left - start, right - start) for left, right in found if start <= left and right <= end)
    return Excerpt(text[start:end], start, inside)


def _best_start(text: str, found: list[tuple[int, int]]) -> int:
    if len(text) <= EXCERPT_CHARACTERS or not found:
        return 0
    best = max(found, key=lambda at: _within(found, at[0]))
    latest = len(text) - EXCERPT_CHARACTERS
    wanted = min(max(0, best[0] - _SPARED), latest)
    line = text.rfind("\n", 0, wanted) + 1
    if wanted - line <= _SPARED and best[1] <= line + EXCERPT_CHARACTERS - _SPARED:
        return line
    space = _SPACE.search(text, wanted, best[0])
    return space.end() if space else wanted


def _end(text: str, start: int) -> int:
    """Where the window ends: before a word that it would cut, unless that one is long (or written without spaces)."""
    end = start + EXCERPT_CHARACTERS
    if end >= len(text):
        return len(text)
    spaces = [space.start() for space in _SPACE.finditer(text, end - _SPARED, end + 1)]
    return spaces[-1] if spaces else end


def _within(found: list[tuple[int, int]], start: int) -> int:
    return sum(1 for left, right in found if start <= left and right <= start + EXCERPT_CHARACTERS)
