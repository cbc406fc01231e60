"""How a status, a person, an id and a time look, on every page the same."""

from datetime import datetime

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from django.utils.translation import gettext as _

from oncall.models import User

register = template.Library()

# A status is a word and a mark; the class gives both their colour.
CLASSES = {
    "running": "running",
    "indexing": "running",
    "succeeded": "good",
    "indexed": "good",
    "resolved": "good",
    "failed": "bad",
    "no_text": "bad",
    "firing": "firing",
    "stale": "stopped",
    "cancelled": "stopped",
}


@register.filter
def status(value: str) -> SafeString:
    return format_html('<span class="status {}">{}</span>', CLASSES.get(value, "waiting"), _word(value))


@register.filter
def person(user: User | None) -> str:
    """How somebody, or a team, is called."""
    return "" if user is None else user.get_full_name() or user.get_username()


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
    text = _("just now") if passed.total_seconds() < 60 else _("%(time)s ago") % {"time": timesince(value, depth=1)}
    return format_html(
        '<time datetime="{}" title="{} UTC">{}</time>', value.isoformat(), f"{value:%Y-%m-%d %H:%M:%S}", text
    )


@register.filter
def utc(value: datetime | None) -> SafeString | str:
    """``2026-03-01 10:02 UTC``: the zone is said."""
    return _utc(value, "%Y-%m-%d %H:%M")


@register.filter
def clock(value: datetime | None) -> SafeString | str:
    """``10:02:31``, the day on hover: for lists in which every line has a time of the same day, in UTC."""
    if value is None:
        return "–"
    return format_html(
        '<time datetime="{}" title="{} UTC">{}</time>',
        value.isoformat(),
        f"{value:%Y-%m-%d %H:%M:%S}",
        f"{value:%H:%M:%S}",
    )


def _utc(value: datetime | None, shape: str) -> SafeString | str:
    if value is None:
        return "–"
    return format_html('<time datetime="{}">{} UTC</time>', value.isoformat(), value.strftime(shape))


def _word(value: str) -> str:
    words = {
        "queued": _("queued"),
        "pending": _("pending"),
        "running": _("running"),
        "indexing": _("indexing"),
        "succeeded": _("succeeded"),
        "indexed": _("indexed"),
        "resolved": _("resolved"),
        "failed": _("failed"),
        "no_text": _("no text"),
        "firing": _("firing"),
        "stale": _("stale"),
        "cancelled": _("cancelled"),
    }
    return words.get(value, value.replace("_", " "))
