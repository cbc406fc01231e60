"""From values and times to places in a picture, and the marks on its axes. Pure; no number makes it fail."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from diagnosis.reports.plain import number

_TINY = 1e-300
_STEPS_OF_TIME = (1, 5, 10, 30, 60, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400)
_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Axis:
    """Maps ``low`` … ``high`` to the places ``start`` … ``end``."""

    low: float
    high: float
    start: float
    end: float

    def place(self, value: float) -> float:
        # Halves: the whole range of floats has no difference that is a float.
        share = (value / 2 - self.low / 2) / (self.high / 2 - self.low / 2)
        return round(self.start + (self.end - self.start) * share, 1)


def value_axis(values: Sequence[float], *, start: float, end: float) -> Axis:
    """Room for all values; from zero where that costs little, with some air around a flat line."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    if 0 <= low < high / 2:
        low = 0.0
    largest = max(abs(low), abs(high))
    if largest < _TINY:
        return Axis(0.0, 1.0, start, end)
    if high / 2 - low / 2 <= 1e-9 * largest:
        low, high = low - 0.1 * abs(low), min(high + 0.1 * abs(high), 1.7e308)
    return Axis(low, high, start, end)


def value_marks(axis: Axis) -> list[tuple[float, str]]:
    """Three to six round values and their labels."""
    rough = axis.high / 4 - axis.low / 4
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next((unit * factor for factor in (1, 2, 2.5, 5) if unit * factor >= rough), unit * 10)
    if not (math.isfinite(step) and step > 0):
        return [(axis.low, number(axis.low)), (axis.high, number(axis.high))]
    first = math.ceil(axis.low / step - 1e-9)
    marks = [count * step for count in range(first, first + 8)]
    highest = axis.high * (1 + math.copysign(1e-9, axis.high))
    return [(mark, number(mark)) for mark in marks if math.isfinite(mark) and mark <= highest]


def time_marks(axis: Axis, most: int = 6) -> list[tuple[float, str]]:
    """Round times in UTC and their labels, with the day where the axis is longer than one."""
    span = axis.high - axis.low
    days = math.ceil(span / _DAY / most) * _DAY
    step = next((size for size in _STEPS_OF_TIME if span / size <= most), days)
    form = "%H:%M:%S" if step < 60 else "%H:%M" if span <= _DAY else "%m-%d %H:%M"
    first = math.ceil(axis.low / step)
    marks = [float(count * step) for count in range(first, math.floor(axis.high / step) + 1)]
    return [(mark, datetime.fromtimestamp(mark, UTC).strftime(form)) for mark in marks]
