"""The part of a chunk that shows why it was found."""

from collections.abc import Collection
from dataclasses import dataclass

from documents.tokens import matches

EXCERPT_CHARACTERS = 320


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A slice of a chunk's text from ``start`` on; ``matches`` are ranges of the excerpt."""

    text: str
    start: int
    matches: tuple[tuple[int, int], ...]


def excerpt(text: str, terms: Collection[str]) -> Excerpt:
    """The window of ``text`` with the most matched words, begun at a word or line where one is near."""
    found = matches(text, terms)
    start = _best_start(text, found)
    end = min(len(text), start + EXCERPT_CHARACTERS)
    inside = tuple((left - start, right - start) for left, right in found if start <= left and right <= end)
    return Excerpt(text[start:end], start, inside)


def _best_start(text: str, found: list[tuple[int, int]]) -> int:
    if len(text) <= EXCERPT_CHARACTERS or not found:
        return 0
    best = max(found, key=lambda at: _within(found, at[0]))
    latest = len(text) - EXCERPT_CHARACTERS
    wanted = min(max(0, best[0] - EXCERPT_CHARACTERS // 8), latest)
    line = text.rfind("\n", 0, wanted) + 1
    space = text.find(" ", wanted, best[0]) + 1
    return line if wanted - line <= EXCERPT_CHARACTERS // 8 else (space or wanted)


def _within(found: list[tuple[int, int]], start: int) -> int:
    return sum(1 for left, right in found if start <= left and right <= start + EXCERPT_CHARACTERS)
