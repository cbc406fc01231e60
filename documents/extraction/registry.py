"""One extractor for each media type. A further format is one module and one line here."""

from collections.abc import Callable
from pathlib import PurePath

from documents.errors import UNSUPPORTED_TYPE, BadDocument
from documents.extraction import markdown, plain
from documents.extraction.result import Extracted
from documents.extraction.sniffing import BY_EXTENSION, MARKDOWN, sniff

Extractor = Callable[[bytes, str], Extracted]

_EXTRACTORS: dict[str, Extractor] = {
    MARKDOWN: markdown.extract,
    **dict.fromkeys(("text/plain", "text/x-rst", "text/csv", "application/json", "application/yaml"), plain.extract),
}
_READ = ", ".join(sorted(end for end, kind in BY_EXTENSION.items() if kind in _EXTRACTORS))


def media_type_of(data: bytes, *, file_name: str) -> str:
    """The media type of a file that can be read. Raises ``BadDocument`` (``unsupported_type``) for any other."""
    media_type = sniff(data, file_name=file_name)
    if media_type in _EXTRACTORS:
        return media_type
    suffix = PurePath(file_name).suffix.lower()
    what = (
        f"{suffix} files"
        if suffix and media_type == BY_EXTENSION.get(suffix)
        else f"The content is {media_type}; such files"
    )
    if media_type is None:
        what = f'Files ending in "{suffix}"' if suffix else "Files without an extension"
    raise BadDocument(UNSUPPORTED_TYPE, f"{what} cannot be read. These can: {_READ}.")


def extract(data: bytes, *, file_name: str) -> Extracted:
    """Text and structure of a file. Raises ``BadDocument``; the same bytes and name give the same result for ever."""
    media_type = media_type_of(data, file_name=file_name)
    return _EXTRACTORS[media_type](data, media_type)
