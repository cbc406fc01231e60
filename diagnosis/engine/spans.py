"""Which stretch of time is asked for, and which part of it is called usual."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from diagnosis.engine.limits import CLOCK_SLACK_SECONDS, MAX_POINTS
from diagnosis.engine.times import window_of
from diagnosis.engine.types import Series, State, Window

LEAST_BASELINE_SECONDS = 7200.0
FINEST_STEP = 15.0


@dataclass(frozen=True, slots=True)
class Spans:
    """``window``: what is diagnosed. ``baseline``: what counts as usual, right before it."""

    window: Window
    baseline: Window

    @property
    def asked(self) -> Window:
        """Baseline, window, and an hour more for clocks that run ahead: asked in one call."""
        return Window(self.baseline.start, self.window.end + CLOCK_SLACK_SECONDS)

    @property
    def step(self) -> float:
        """15 s, or as coarse as the limit of points demands."""
        return FINEST_STEP * max(1, -(-self.asked.seconds // (FINEST_STEP * (MAX_POINTS - 1))))


def spans_of(state: State) -> Spans:
    intake = state.of("intake")
    window, baseline = window_of(intake["window"]), window_of(intake["baseline"])
    assert window is not None and baseline is not None
    return Spans(window, baseline)


def baseline_before(window: Window, given: Mapping[str, Any] | None) -> Window:
    """The given baseline where it ends at or before the window; else two hours, or twice the window, before it."""
    chosen = window_of(given or {})
    if chosen is not None and chosen.end <= window.start:
        return chosen
    return Window(window.start - max(LEAST_BASELINE_SECONDS, 2 * window.seconds), window.start)


def on_own_step(series: Series) -> Series:
    """The series at the step at which it was recorded, where it was asked at a finer one: a value every 5 minutes on a
    grid of 15 s has 19 gaps of 20, which are none."""
    there = np.flatnonzero(np.isfinite(series.values))
    if len(there) < 4:
        return series
    apart = np.diff(there)
    every = int(np.median(apart))
    if every < 2 or (apart % every != 0).mean() > 0.2:
        return series
    index = np.round((there - there[0]) / every).astype(int)
    values = np.full(int(index[-1]) + 1, np.nan)
    values[index] = series.values[there]
    start = series.start + float(there[0]) * series.step
    return Series(series.node, series.family, series.name, start, series.step * every, values)


def clipped(series: Series, end: float) -> Series:
    """The series without what lies after ``end``."""
    keep = int((series.times <= end).sum())
    return Series(series.node, series.family, series.name, series.start, series.step, series.values[:keep])
