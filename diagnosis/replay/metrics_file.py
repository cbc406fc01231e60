"""``metrics.csv``: time (seconds or ISO 8601, UTC where it names no zone), service, family, name, value.

An empty value, NaN or an infinity is a gap. Rows may stand in any order; the last of two for one time counts."""

import csv
import io
import math
from collections.abc import Iterable, Mapping

import numpy as np

from diagnosis.engine.times import iso, seconds_of
from diagnosis.engine.types import Series
from diagnosis.replay.errors import BadIncident

FILE = "metrics.csv"
COLUMNS = ("time", "service", "family", "name", "value")
# More steps than this between first and last value: a stray time, not a series.
MOST_STEPS = 200_000
LATEST = 4e9  # The year 2096: beyond it, a time is most likely in milliseconds.

Key = tuple[str, str, str]


def series_from_csv(text: str) -> list[Series]:
    """Every series, sorted by service, family and name, on its own regular grid. Raises ``BadIncident``."""
    points: dict[Key, dict[float, float]] = {}
    reader = csv.DictReader(io.StringIO(text))
    if tuple(reader.fieldnames or ()) != COLUMNS:
        raise BadIncident(FILE, f"The first line must be {','.join(COLUMNS)}.", line=1)
    try:
        for row in reader:
            key, at, value = _point(row, reader.line_num)
            points.setdefault(key, {})[at] = value
    except csv.Error as error:
        raise BadIncident(FILE, f"This is no CSV ({error}).", line=reader.line_num) from None
    return [on_grid(key, points[key]) for key in sorted(points)]


def _point(row: Mapping[str | None, str | None], line: int) -> tuple[Key, float, float]:
    if None in row or any(row[column] is None for column in COLUMNS):
        raise BadIncident(FILE, f"A line has {len(COLUMNS)} columns.", line=line)
    told = {column: str(row[column]) for column in COLUMNS}
    at = _number(told["time"]) if _number(told["time"]) is not None else seconds_of(told["time"])
    if at is None or not 0 <= at <= LATEST:
        raise BadIncident(FILE, f"{told['time'][:40]!r} is no time.", line=line)
    if not told["service"] and told["family"] != "expression":
        raise BadIncident(FILE, "The service is missing.", line=line)
    value = math.nan if told["value"] == "" else _number(told["value"])
    if value is None:
        raise BadIncident(FILE, f"{told['value'][:40]!r} is no number.", line=line)
    return (told["service"], told["family"], told["name"]), at, value if math.isfinite(value) else math.nan


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def on_grid(key: Key, points: Mapping[float, float]) -> Series:
    """The points of one series at their usual distance; a time between two grid times goes to the nearer one."""
    times = np.array(sorted(points))
    values = np.array([points[at] for at in times])
    step = float(np.median(np.diff(times))) if len(times) > 1 else 60.0
    index = np.round((times - times[0]) / step).astype(int)
    if index[-1] >= MOST_STEPS:
        raise BadIncident(FILE, f"The times of {'/'.join(key)} lie too far apart ({iso(times[0])}, {iso(times[-1])}).")
    grid = np.full(int(index[-1]) + 1, np.nan)
    grid[index] = values
    return Series(*key, start=float(times[0]), step=step, values=grid)


def csv_from_series(series: Iterable[Series]) -> str:
    """The text of ``metrics.csv``; gaps are left out, values have six significant digits."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in series:
        for at, value in zip(row.times, row.values, strict=True):
            if np.isfinite(value):
                writer.writerow([f"{at:.0f}", row.node, row.family, row.name, f"{value:.6g}"])
    return out.getvalue()
