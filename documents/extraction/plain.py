"""Plain text: paragraphs between blank lines; the lines are the only anchor."""

import re

from documents.extraction.decoding import decode
from documents.extraction.result import Block, Extracted

_PARAGRAPH = re.compile(r"[^\n]*\S(?:[^\S\n]*\n[^\n]*\S)*")


def extract(data: bytes, media_type: str) -> Extracted:
    text, encoding = decode(data)
    return Extracted(text, paragraphs(text), media_type=media_type, encoding=encoding)


def paragraphs(text: str) -> tuple[Block, ...]:
    """Runs of lines that are not blank."""
    return tuple(Block(match.start(), match.end(), "paragraph") for match in _PARAGRAPH.finditer(text))
