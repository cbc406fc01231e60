"""From an extracted text to chunks. A chunk is a slice: ``text[chunk.start:chunk.end]`` is its text, exactly."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from documents.chunking_options import Chunking
from documents.cutting import Span, pieces, sentences
from documents.extraction.result import Block, Extracted
from documents.measure import token_count

TARGET_TOKENS = 220
MAX_TOKENS = 300
# A sentence longer than this is no bridge between two chunks but a second copy of the first.
MAX_OVERLAP_TOKENS = 60


@dataclass(frozen=True, slots=True)
class Chunk:
    """Characters ``start`` to ``end`` of the stored text; lines are counted from 1, both inclusive."""

    ordinal: int
    start: int
    end: int
    heading_path: tuple[str, ...]
    line_start: int
    line_end: int


def chunk(extracted: Extracted, chunking: Chunking) -> Iterator[Chunk]:
    """The chunks of a text, in order, as they are cut; none when there is no text."""
    text, blocks = extracted.text, extracted.blocks
    if chunking.strategy == "fixed-character":
        spans = _fixed(text, blocks, chunking)
    elif chunking.strategy == "paragraph":
        spans = _sections(text, blocks, target=0, overlap=False)
    elif chunking.strategy == "markdown-heading":
        spans = _sections(text, blocks, target=MAX_TOKENS, overlap=False)
    else:
        spans = _sections(text, blocks, target=TARGET_TOKENS, overlap=True)
    return _numbered(text, spans)


Located = tuple[Span, tuple[str, ...]]


def _numbered(text: str, spans: Iterator[Located]) -> Iterator[Chunk]:
    line, counted = 1, 0
    for ordinal, ((start, end), path) in enumerate(spans):
        # Chunks may overlap, yet each starts after the one before it: every newline is counted once.
        line += text.count("\n", counted, start)
        counted = start
        yield Chunk(ordinal, start, end, path, line, line + text.count("\n", start, end))


def _fixed(text: str, blocks: Sequence[Block], chunking: Chunking) -> Iterator[Located]:
    starts = [block.start for block in blocks]
    step = chunking.max_characters - chunking.overlap_characters
    for offset in range(0, len(text), step):
        part = text[offset : offset + chunking.max_characters]
        start = offset + len(part) - len(part.lstrip())
        if part.strip():
            at = bisect_right(starts, start) - 1
            yield (start, offset + len(part.rstrip())), blocks[at].path if at >= 0 else ()
        if offset + chunking.max_characters >= len(text):
            return


def _sections(text: str, blocks: Sequence[Block], *, target: int, overlap: bool) -> Iterator[Located]:
    for path, section in _by_section(blocks):
        previous: Span | None = None
        for span in _packed(text, section, target=target):
            yield (_reaching_back(text, previous, span) if previous and overlap else span), path
            previous = span


def _by_section(blocks: Sequence[Block]) -> Iterator[tuple[tuple[str, ...], list[Block]]]:
    """``path, blocks`` of each section; a heading with nothing of its own goes with the section under it."""
    waiting: list[Block] = []
    path: tuple[str, ...] = ()
    for path, group in groupby(blocks, key=lambda block: block.path):
        section = [*waiting, *group]
        waiting = section if all(block.kind == "heading" for block in section) else []
        if not waiting:
            yield path, section
    if waiting:
        yield path, waiting


def _packed(text: str, blocks: Sequence[Block], *, target: int) -> Iterator[Span]:
    """Neighbouring blocks of one section joined while they stay below ``target``; none above ``MAX_TOKENS``."""
    current: Span | None = None
    used = 0
    for start, end, size, glued in _measured(text, blocks):
        if current and used + size <= (MAX_TOKENS if glued else target):
            current, used = (current[0], end), used + size
            continue
        if current:
            yield current
        current, used = (start, end), size
    if current:
        yield current


def _measured(text: str, blocks: Sequence[Block]) -> Iterator[tuple[int, int, int, bool]]:
    """``start, end, tokens, glued`` of each part; what follows a heading is glued to it."""
    after_heading = False
    for block in blocks:
        for start, end in _cut(text, block, limit=TARGET_TOKENS):
            yield start, end, token_count(text[start:end]), after_heading
            after_heading = block.kind == "heading"


def _cut(text: str, block: Block, *, limit: int) -> Iterator[Span]:
    """The block whole when it fits a chunk, else its pieces."""
    if token_count(text[block.start : block.end]) <= MAX_TOKENS:
        yield block.start, block.end
    else:
        yield from pieces(text, (block.start, block.end), limit=limit, lines=block.kind in ("fence", "table"))


def _reaching_back(text: str, previous: Span, span: Span) -> Span:
    """``span`` begun at the last sentence of ``previous``, when both together still fit."""
    start, _ = sentences(text, previous)[-1]
    small = token_count(text[start : previous[1]]) <= MAX_OVERLAP_TOKENS
    return (start, span[1]) if small and token_count(text[start : span[1]]) <= MAX_TOKENS else span
