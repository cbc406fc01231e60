"""Markdown: headings, fences, tables, lists and paragraphs with exact offsets; front matter becomes metadata."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import accumulate

from markdown_it import MarkdownIt
from markdown_it.token import Token

from documents.extraction.decoding import decode
from documents.extraction.front_matter import front_matter
from documents.extraction.result import Block, Extracted, Kind

# Only blocks are wanted, so the inline rules stay out: a tenth of the time and of the memory.
_PARSER = MarkdownIt("commonmark", {"maxNesting": 20}).enable("table")
_PARSER.core.ruler.enableOnly(["normalize", "block"])

_KINDS: dict[str, Kind] = {
    "heading_open": "heading",
    "fence": "fence",
    "code_block": "fence",
    "table_open": "table",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
}
_FENCE_LINE = re.compile(r" {0,3}(`{3,}|~{3,})")
_INLINE_MARKUP = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|[`*]+|<[^>]*>|\s*\{#[^}]*\}\s*\Z|\s+#+\s*\Z")
_MAX_HEADING_CHARACTERS = 200
# The parser's tokens weigh many times the text: a large file is parsed piece by piece, cut before headings.
_PIECE_CHARACTERS = 128 * 1024


def extract(data: bytes, media_type: str) -> Extracted:
    text, encoding = decode(data)
    metadata, body = front_matter(text)
    blocks = tuple(_with_paths(text, _blocks(text, body)))
    title = metadata.get("title")
    return Extracted(
        text,
        blocks,
        media_type=media_type,
        encoding=encoding,
        title=title if isinstance(title, str) else _first_heading(blocks),
        metadata=metadata,
    )


def _first_heading(blocks: tuple[Block, ...]) -> str:
    return next((block.path[-1] for block in blocks if block.kind == "heading" and block.path), "")


def heading_title(source: str) -> str:
    """The words of a heading's source, without ``#``, underline and inline markup."""
    line = source.strip().split("\n", 1)[0].lstrip("#")
    return _INLINE_MARKUP.sub(lambda match: match[1] or "", line).strip()[:_MAX_HEADING_CHARACTERS]


def _blocks(text: str, body: int) -> Iterator[tuple[Block, int]]:
    """Top-level blocks with the level of a heading (0 for others)."""
    for start, end in _pieces(text, body):
        lines = text[start:end].split("\n")
        offsets = [start, *accumulate((len(line) + 1 for line in lines), initial=start)][1:]
        for token in _top_level(_PARSER.parse(text[start:end])):
            first, last = token.map or (0, 0)
            block = _trimmed(text, Block(offsets[first], min(offsets[last], end), _KINDS.get(token.type, "paragraph")))
            if block.end > block.start:
                yield block, int(token.tag[1]) if token.type == "heading_open" else 0


def _top_level(tokens: Iterable[Token]) -> Iterator[Token]:
    return (token for token in tokens if token.level == 0 and token.map and token.nesting >= 0)


def _trimmed(text: str, block: Block) -> Block:
    """The block without blank lines and trailing space; indentation of its first line stays."""
    stretch = text[block.start : block.end]
    end = block.start + len(stretch.rstrip())
    blank = re.match(r"(?:[ \t]*\n)+", stretch)
    return replace(block, start=min(block.start + (blank.end() if blank else 0), end), end=end)


def _pieces(text: str, body: int) -> Iterator[tuple[int, int]]:
    """Ranges of about 128 K characters, cut only before a heading that stands outside of a fence."""
    start, fence, offset = body, "", body
    while offset < len(text):
        newline = text.find("\n", offset)
        following = newline + 1 if newline >= 0 else len(text)
        line = text[offset:following]
        mark = _FENCE_LINE.match(line)
        if not fence and line.startswith("#") and offset - start >= _PIECE_CHARACTERS:
            yield start, offset
            start = offset
        elif mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
            fence = ""
        offset = following
    yield start, len(text)


def _with_paths(text: str, blocks: Iterable[tuple[Block, int]]) -> Iterator[Block]:
    above: list[tuple[int, str]] = []
    for block, level in blocks:
        if level:
            above = [entry for entry in above if entry[0] < level]
            above.append((level, heading_title(text[block.start : block.end])))
        yield replace(block, path=tuple(title for _, title in above if title))
