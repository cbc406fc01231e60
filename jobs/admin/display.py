"""How ids, times and long texts look in a cell: short, with the whole of it on hover, in a fold or behind a link."""

import json
from datetime import datetime, timedelta
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

NOTHING = "–"
LONGEST_ID = 12
_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))
_MONO = "font-family: ui-monospace, monospace"
_WHOLE = f"{_MONO}; font-size: 12px; white-space: pre-wrap; overflow-wrap: anywhere; text-align: left"


def short_id(id: str) -> SafeString:
    """The end of a long id, which is its random part; the whole on hover."""
    text = id if len(id) <= LONGEST_ID else f"…{id[-8:]}"
    return format_html('<span title="{}" style="{}; white-space: nowrap">{}</span>', id, _MONO, text)


def whole_id(id: str) -> SafeString:
    return format_html('<span style="{}; overflow-wrap: anywhere">{}</span>', _MONO, id)


def breakable(text: str) -> SafeString:
    """A name that may be longer than its cell."""
    return format_html('<span style="overflow-wrap: anywhere">{}</span>', text)


def kind_name(kind: str) -> SafeString:
    """A kind is one word: where there is room for an ordinary one, it is not broken."""
    style = "display: inline-block; min-width: 8.5em; overflow-wrap: anywhere"
    return format_html('<span style="{}">{}</span>', style, kind)


def shortened(text: str, longest: int) -> SafeString:
    """The beginning of a text; the whole on hover."""
    shown = text if len(text) <= longest else text[: longest - 1] + "…"
    return (
        format_html('<span title="{}" style="overflow-wrap: anywhere">{}</span>', text, shown) if text else SafeString()
    )


def two_lines(first: str, second: str) -> SafeString:
    return format_html("{}<br>{}", first, second)


def admin_link(model: str, pk: Any, text: str) -> SafeString:
    """``text`` as a link to the admin's page of a row; ``model`` is a label (``jobs.job``)."""
    url = reverse(f"admin:{model.replace('.', '_')}_change", args=[pk])
    return format_html('<a href="{}" class="text-primary-600 dark:text-primary-500">{}</a>', url, text)


def job_link(job_id: str) -> SafeString:
    return admin_link("jobs.job", job_id, short_id(job_id))


def length(span: timedelta) -> str:
    """``3 min``, ``2 d``: the largest unit that counts at least one."""
    seconds = max(0.0, span.total_seconds())
    size, unit = next(((size, unit) for size, unit in _UNITS if seconds >= size), (1, "s"))
    return f"{int(seconds // size)} {unit}"


def when(moment: datetime | None, *, now: datetime | None = None) -> str:
    """How long ago, or how soon; the exact time on hover."""
    if moment is None:
        return NOTHING
    now = now or timezone.now()
    text = f"{length(now - moment)} ago" if moment <= now else f"in {length(moment - now)}"
    exact = f"{moment:%Y-%m-%d %H:%M:%S} UTC"
    return format_html(
        '<time datetime="{}" title="{}" style="white-space: nowrap">{}</time>', moment.isoformat(), exact, text
    )


def exactly(moment: datetime | None) -> str:
    """The exact time, and how long ago."""
    if moment is None:
        return NOTHING
    return format_html("{} UTC · {}", f"{moment:%Y-%m-%d %H:%M:%S}", when(moment))


def fold(title: str, text: str) -> str:
    """``title``, and ``text`` when it is opened."""
    if not text:
        return title or NOTHING
    return format_html(
        '<details style="min-width: 0"><summary style="{}">{}</summary><pre style="{}">{}</pre></details>',
        "cursor: pointer; overflow-wrap: anywhere",
        title,
        _WHOLE,
        text,
    )


def as_json(value: Any) -> str:
    """A JSON value for people; nothing where there is none."""
    return "" if value in (None, {}) else json.dumps(value, ensure_ascii=False, indent=2)


def json_cell(value: Any) -> str:
    """A JSON value: in one line while it is short, else in a fold."""
    short = "" if value in (None, {}) else json.dumps(value, ensure_ascii=False)
    if len(short) <= 80:
        return format_html('<span style="{}">{}</span>', _WHOLE, short or NOTHING)
    return fold(short[:77] + "…", as_json(value))
