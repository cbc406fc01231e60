"""How a status, an id and a time look, on every page the same."""

from datetime import datetime

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince

register = template.Library()

# A status is a word and a mark; the class gives both their colour.
CLASSES = {
    "running": "running",
    "indexing": "running",
    "succeeded": "good",
    "indexed": "good",
    "failed": "bad",
    "no_text": "bad",
    "cancelled": "stopped",
}


@register.filter
def status(value: str) -> SafeString:
    return format_html('<span class="status {}">{}</span>', CLASSES.get(value, "waiting"), value.replace("_", " "))


@register.filter
def short_id(value: str) -> str:
    """``job_01a2…c8d4``: enough to recognise it; the whole id is in the title."""
    return value if len(value) <= 16 else f"{value[:8]}…{value[-4:]}"


@register.filter
def ago(value: datetime | None) -> SafeString | str:
    """``3 minutes ago``, with the exact time in UTC on hover; a dash where there is none."""
    if value is None:
        return "–"
    passed = timezone.now() - value
    text = "just now" if passed.total_seconds() < 60 else f"{timesince(value, depth=1)} ago"
    return format_html(
        '<time datetime="{}" title="{} UTC">{}</time>', value.isoformat(), f"{value:%Y-%m-%d %H:%M:%S}", text
    )
