"""A hit's place in its document, and its excerpt with the matched words marked."""

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from documents.models import Chunk
from documents.passage import passage
from documents.search import Hit

register = template.Library()


@register.filter
def trail(chunk: Chunk) -> list[str]:
    """The headings above a chunk, without the document's title where that is the first of them."""
    path: list[str] = chunk.heading_path
    return path[1:] if path[:1] == [chunk.document.title] else path


@register.filter
def marked(hit: Hit) -> SafeString:
    """What to read of a hit, every piece of it escaped, with ``<mark>`` around what was matched."""
    pieces = [
        (format_html("<mark>{}</mark>", text) if matched else text,)
        for text, matched in passage(hit.chunk, hit.excerpt)
    ]
    return format_html_join("", "{}", pieces)
