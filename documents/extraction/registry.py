"""One extractor for each media type. A further format is one module and one line here."""

from collections.abc import Callable
from pathlib import PurePath

from documents.errors import UNSUPPORTED_TYPE, BadDocument
from documents.extraction import markdown, plain
from documents.extraction.decoding import decode
from documents.extraction.result import Extracted
from documents.extraction.sniffing import BY_EXTENSION, MARKDOWN, sniff

Extractor = Callable[[bytes, str], Extracted]

_EXTRACTORS: dict[str, Extractor] = {
    MARKDOWN: markdown.extract,
    **dict.fromkeys(("text/plain", "text/x-rst", "text/csv", "application/json", "application/yaml"), plain.extract),
}
_READ = ", ".join(sorted(end for end, kind in BY_EXTENSION.items() if kind in _EXTRACTORS))


def check_readable(data: bytes, *, file_name: str) -> str:
    """The media type of a file that can be read: said at the upload, while its sender is still there to mend it.

    Raises ``BadDocument`` (``unsupported_type``, ``garbled``, ``too_large``).
    """
    media_type = _media_type(data, file_name)
    decode(data)
    return media_type


def extract(data: bytes, *, file_name: str) -> Extracted:
    """Text and structure of a file. Raises ``BadDocument``; the same bytes and name give the same result for ever."""
    media_type = _media_type(data, file_name)
    return _EXTRACTORS[media_type](data, media_type)


def _media_type(data: bytes, file_name: str) -> str:
    media_type = sniff(data, file_name=file_name)
    if media_type in _EXTRACTORS:
        return media_type
    raise BadDocument(UNSUPPORTED_TYPE, f"{_unreadable(media_type, file_name)} cannot be read. These can: {_READ}.")


def _unreadable(media_type: str | None, file_name: str) -> str:
    suffix = PurePath(file_name).suffix.lower()
    if media_type is None:
        return f'Files ending in "{suffix}"' if suffix else "Files without an extension"
    if media_type == BY_EXTENSION.get(suffix):
        return f'Files ending in "{suffix}" ({media_type})'
    return f"The content is {media_type}; such files"
