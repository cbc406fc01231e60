"""From the bytes of a file to text with its structure. ``extract`` is the only way in."""

from documents.extraction.registry import extract, media_type_of
from documents.extraction.result import Block, Extracted

__all__ = ["Block", "Extracted", "extract", "media_type_of"]
