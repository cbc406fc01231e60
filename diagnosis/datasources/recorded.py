"""A recorded incident as a source: ``metrics.csv`` of its folder, kept as text in the row."""

import csv
import io
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np
import yaml

from diagnosis.datasources.matrix import bounded_step
from diagnosis.datasources.protocol import BAD_ANSWER, MAX_SERIES, FoundSeries, Queried, SourceFailed
from diagnosis.engine.types import Series, Window

_Key = tuple[str, str, str]


class Recorded:
    """A ``MetricSource`` over the files of an incident folder, by name. Raises ``SourceFailed`` if they make no sense.

    It answers for a service of the same name; what was recorded does not depend on selectors.
    """

    def __init__(self, recording: Mapping[str, str]) -> None:
        try:
            self._samples = _samples(recording.get("metrics.csv", ""))
            self._incident = yaml.safe_load(recording.get("incident.yaml", "")) or {}
        except (ValueError, KeyError, TypeError, csv.Error, yaml.YAMLError):
            raise SourceFailed(BAD_ANSWER, "The recording cannot be read.") from None

    def families(self, service: Queried) -> list[str]:
        return sorted({family for node, family, _ in self._samples if node == service.name})

    def range(
        self, service: Queried, family: str, window: Window, step: float, *, deadline: float | None = None
    ) -> FoundSeries:
        raised = bounded_step(window, step)
        keys = sorted(key for key in self._samples if key[:2] == (service.name, family))
        series = [Series(*key, window.start, raised, self._values(key, window, raised)) for key in keys[:MAX_SERIES]]
        found = [one for one in series if np.isfinite(one.values).any()]
        return FoundSeries(found, truncated=len(keys) > MAX_SERIES)

    def _values(self, key: _Key, window: Window, step: float) -> np.ndarray:
        """The last sample of each step up to a grid time; NaN where that step has none."""
        times, values = self._samples[key]
        grid = window.start + step * np.arange(math.floor(window.seconds / step + 1e-9) + 1)
        last = np.searchsorted(times, grid + 1e-6, side="right") - 1
        fresh = (last >= 0) & (times[np.maximum(last, 0)] > grid - step + 1e-6)
        return np.where(fresh, values[np.maximum(last, 0)], np.nan)

    def expression(self, expr: str, window: Window, step: float, *, deadline: float | None = None) -> FoundSeries:
        return FoundSeries(notes=["A recording evaluates no expressions."])

    def rule(self, alert_name: str, *, deadline: float | None = None) -> dict[str, Any] | None:
        return None


def _samples(text: str) -> dict[_Key, tuple[np.ndarray, np.ndarray]]:
    """(service, family, name) → times in order, and their values; infinities are gaps."""
    rows: dict[_Key, dict[float, float]] = {}
    for row in csv.DictReader(io.StringIO(text)):
        value = float(row["value"]) if row["value"] else math.nan
        at = _seconds(row["time"])
        rows.setdefault((row["service"], row["family"], row["name"]), {})[at] = (
            value if math.isfinite(value) else math.nan
        )
    return {
        key: (np.array(sorted(points)), np.array([points[at] for at in sorted(points)])) for key, points in rows.items()
    }


def _seconds(text: str) -> float:
    """Seconds since the epoch, or an ISO 8601 time (UTC where it names no zone)."""
    try:
        return float(text)
    except ValueError:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
