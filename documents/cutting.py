"""Cutting a stretch of text that is too long: at line or sentence ends, then at spaces, at worst anywhere."""

import re
from collections.abc import Iterator

from documents.measure import token_count

Span = tuple[int, int]

# After a full stop of a Western text comes a space; the CJK ones need none.
_SENTENCE_END = re.compile(r"[.!?;][\"')\]]*(?=\s)|[。！？；][”’」』）]*|\n")
_LINE_END = re.compile(r"\n")
_SPACE = re.compile(r"\s+")


def pieces(text: str, span: Span, *, limit: int, lines: bool = False) -> Iterator[Span]:
    """Parts of ``span`` of at most ``limit`` tokens, as long as they get; ``lines`` keeps lines whole.

    Parts are apart by white space only and carry none at their ends (a first line keeps its indentation).
    """
    current: Span | None = None
    used = 0
    for start, end in _atoms(text, span, limit=limit, lines=lines):
        size = token_count(text[start:end])
        if current and used + size <= limit:
            current, used = (current[0], end), used + size
            continue
        if current:
            yield current
        current, used = (start, end), size
    if current:
        yield current


def sentences(text: str, span: Span) -> list[Span]:
    """The sentences of ``span``, without the space between them."""
    return list(_split(text, span, _SENTENCE_END))


def _atoms(text: str, span: Span, *, limit: int, lines: bool) -> Iterator[Span]:
    for start, end in _split(text, span, _LINE_END if lines else _SENTENCE_END):
        if token_count(text[start:end]) <= limit:
            yield start, end
        else:
            yield from _words(text, (start, end), limit=limit)


def _words(text: str, span: Span, *, limit: int) -> Iterator[Span]:
    for start, end in _split(text, span, _SPACE):
        if token_count(text[start:end]) <= limit:
            yield start, end
            continue
        # One word longer than a chunk: base64, a minified line, or CJK without punctuation. One token is at least
        # one character, so this step can never be too long.
        for at in range(start, end, limit):
            yield at, min(at + limit, end)


def _split(text: str, span: Span, end_of_part: re.Pattern[str]) -> Iterator[Span]:
    start, stop = span
    while start < stop:
        match = end_of_part.search(text, start, stop)
        end = match.end() if match else stop
        part = text[start:end]
        if part.strip():
            # Indentation belongs to the part only where lines count; elsewhere space in front is dropped.
            lead = 0 if end_of_part is _LINE_END else len(part) - len(part.lstrip())
            yield start + lead, start + len(part.rstrip())
        start = end
