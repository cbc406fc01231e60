"""From the bytes of a file to text with its structure. ``extract`` and ``check_readable`` are the only ways in."""

from documents.extraction.registry import check_readable, extract
from documents.extraction.result import Block, Extracted

__all__ = ["Block", "Extracted", "check_readable", "extract"]
