"""Times between the engine (float seconds) and its JSON (ISO-8601 UTC with Z), and numbers as they are written."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from diagnosis.engine.types import Window


def iso(seconds: float) -> str:
    """2026-12-01T03:04:05Z; a fraction of a second is dropped."""
    return datetime.fromtimestamp(math.floor(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def seconds_of(text: Any) -> float | None:
    """Seconds since the epoch of an ISO time (UTC where it names no zone); None for anything else and year 1."""
    if isinstance(text, int | float):
        return float(text) if math.isfinite(text) else None
    try:
        at = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return at.timestamp() if at.year > 1 else None


def clock(seconds: float) -> str:
    """03:04:05 UTC, as sentences name a time."""
    return datetime.fromtimestamp(math.floor(seconds), UTC).strftime("%H:%M:%S UTC")


def window_of(given: Mapping[str, Any]) -> Window | None:
    """A window from {"start", "end"} in ISO or seconds; None where it is none or runs backwards."""
    start, end = seconds_of(given.get("start")), seconds_of(given.get("end"))
    return Window(start, end) if start is not None and end is not None and end > start else None


def as_json(window: Window) -> dict[str, float]:
    return {"start": window.start, "end": window.end}


def rounded(value: float) -> float | None:
    """Six significant digits; None for what is no number."""
    return float(f"{value:.6g}") if math.isfinite(value) else None


def said(value: float, unit: str = "") -> str:
    """Three significant digits with the unit, as sentences name a value."""
    return f"{value:.3g} {unit}".rstrip() if unit and not unit.startswith("/") else f"{value:.3g}{unit}"


def lasting(seconds: float) -> str:
    """4 min, 35 s, 2.5 h: a length of time in words."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.3g} h"
