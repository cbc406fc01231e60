"""From the matrix of a range query to series on a grid: NaN for gaps, for NaN and for infinities."""

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from diagnosis.datasources.protocol import BAD_ANSWER, MAX_POINTS, MAX_SERIES, FoundSeries, SourceFailed
from diagnosis.engine.types import Series, Window

LONGEST_NAME = 160


def bounded_step(window: Window, step: float) -> float:
    """``step``, or the least whole number of seconds with which the window has at most ``MAX_POINTS`` points."""
    if window.seconds / step + 1 <= MAX_POINTS:
        return step
    return float(math.ceil(window.seconds / (MAX_POINTS - 1)))


def series_of(
    result: Any, *, node: str, family: str, window: Window, step: float, notes: list[str], size: int
) -> FoundSeries:
    """The series of ``data.result``, by name, at most ``MAX_SERIES``; what is missing of them is said in ``notes``."""
    try:
        named = sorted(((name_of(row["metric"]), row) for row in result), key=lambda pair: pair[0])
        kept = named[:MAX_SERIES]
        values = [_on_grid(row.get("values", []), window=window, step=step) for _, row in kept]
    except (TypeError, ValueError, KeyError, AttributeError, IndexError, OverflowError):
        raise SourceFailed(BAD_ANSWER, "The answer is no matrix of series.") from None
    if any("histograms" in row for _, row in kept):
        notes.append("Native histograms are left out.")
    if any(np.isinf(found).any() for found in values):
        notes.append("Infinite values count as gaps.")
    if len(named) > MAX_SERIES:
        notes.append(f"{len(named)} series answered; the first {MAX_SERIES:,} were taken.")
    series = [
        Series(node, family, name or family, window.start, step, np.where(np.isfinite(found), found, np.nan))
        for (name, _), found in zip(kept, values, strict=True)
    ]
    return FoundSeries(series, notes=notes, truncated=len(named) > MAX_SERIES, bytes=size)


def name_of(labels: Mapping[str, str]) -> str:
    """``metric{a="x"}`` with sorted labels; a long one is cut and ends with a hash, so that names stay different."""
    rest = ",".join(f"{key}={json.dumps(labels[key], ensure_ascii=False)}" for key in sorted(labels) if key[:2] != "__")
    name = labels.get("__name__", "") + (f"{{{rest}}}" if rest else "")
    if len(name) <= LONGEST_NAME:
        return name
    return f"{name[: LONGEST_NAME - 10]}…{hashlib.sha256(name.encode(errors='replace')).hexdigest()[:8]}"


def _on_grid(points: list[Any], *, window: Window, step: float) -> np.ndarray:
    """Every point at its place on the grid; times that lie on no place of it are dropped."""
    values = np.full(math.floor(window.seconds / step + 1e-9) + 1, np.nan)
    if not points:
        return values
    times = np.array([float(time) for time, _ in points])
    found = np.array([float(value) for _, value in points])
    places = np.rint((times - window.start) / step)
    known = (places >= 0) & (places < len(values)) & (np.abs(places * step + window.start - times) <= step / 2)
    values[places[known].astype(int)] = found[known]
    return values
