"""Foreign text as it may be shown: what it says stays, what would act on the text around it is made visible."""

import re
from datetime import UTC, datetime

# Overrides and isolates turn the direction of what follows; controls and line separators end lines; the rest is no
# character of XML.
_ACTS = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)


def shown(text: str) -> str:
    """``text`` with each such character as ``⟨U+202E⟩``, its line breaks as they are."""
    return _ACTS.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str) -> str:
    return " ".join(shown(text).split())


def parsed(time: str) -> datetime:
    return datetime.fromisoformat(time).astimezone(UTC)


def in_utc(time: str) -> str:
    """``2026-03-01 10:02:00 UTC``: the zone is said wherever a time is."""
    return parsed(time).strftime("%Y-%m-%d %H:%M:%S UTC")


def number(value: float) -> str:
    """At most four digits that mean something, large numbers with their prefix: ``0.2345``, ``12,300``, ``1.5G``."""
    size = abs(value)
    for least, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if least <= size < 1e15:
            return f"{value / least:.4g}{letter}"
    if size and not 1e-4 <= size < 1e15:
        return f"{value:.3g}"
    return f"{float(f'{value:.4g}'):,.10g}"
