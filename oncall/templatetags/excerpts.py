"""An excerpt with its matched words marked."""

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from documents.excerpt import Excerpt
from documents.models import Chunk

register = template.Library()


@register.filter
def trail(chunk: Chunk) -> list[str]:
    """The headings above a chunk, without the document's title where that is the first of them."""
    path: list[str] = chunk.heading_path
    return path[1:] if path[:1] == [chunk.document.title] else path


@register.filter
def marked(excerpt: Excerpt) -> SafeString:
    """The excerpt's text, every piece of it escaped, with ``<mark>`` around what was matched."""
    pieces: list[tuple[str, str]] = []
    at = 0
    for start, end in excerpt.matches:
        pieces.append((excerpt.text[at:start], excerpt.text[start:end]))
        at = end
    marked_up = format_html_join("", "{}<mark>{}</mark>", pieces)
    return format_html("{}{}", mark_safe(marked_up), excerpt.text[at:])
