"""The type of a file: what its content says first, its name second."""

from pathlib import PurePath

MARKDOWN = "text/markdown"
HTML = "text/html"
PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
ZIP = "application/zip"

BY_EXTENSION = {
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".txt": "text/plain",
    ".log": "text/plain",
    ".rst": "text/x-rst",
    ".csv": "text/csv",
    ".json": "application/json",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
    ".html": HTML,
    ".htm": HTML,
    ".pdf": PDF,
    ".docx": DOCX,
    ".zip": ZIP,
}


def sniff(data: bytes, *, file_name: str) -> str | None:
    """The media type of ``data``, or None when neither content nor name tells."""
    named = BY_EXTENSION.get(PurePath(file_name).suffix.lower())
    start = data[:1024].lstrip()
    if start.startswith(b"%PDF-"):
        return PDF
    if start.startswith(b"PK\x03\x04"):
        return DOCX if named == DOCX else ZIP
    if start[:14].lower().startswith((b"<!doctype html", b"<html")):
        return HTML
    return named
