"""When did it begin: the alert's time is a hint only, the data say it."""

from itertools import pairwise

import numpy as np

from diagnosis.engine.types import Series, Window

# This far outside the usual spread is unusual.
UNUSUAL = 3.0
SUSTAINED_SECONDS = 180.0
# Fewer points than this say nothing about what is usual.
LEAST_BASELINE = 8
# What lies between two unusual stretches may be this many steps long, and they are still one.
_MENDED_STEPS = 2


def sustained_steps(step: float) -> int:
    """How many steps make a sustained stretch: three minutes, or one step where steps are longer."""
    return max(1, round(SUSTAINED_SECONDS / step)) if step > 0 else 1


def stretches(values: np.ndarray, length: int) -> np.ndarray:
    """The median of every ``length`` values in a row, at its last one; NaN where fewer than half are there."""
    if length <= 1 or len(values) < length:
        return values.astype(float, copy=True)
    finite = np.where(np.isfinite(values), values, np.nan)
    # Sorted with NaN last: the middle of what is there is the median, much faster than nanmedian.
    windows = np.sort(np.lib.stride_tricks.sliding_window_view(finite, length), axis=1)
    there = np.isfinite(windows).sum(axis=1)
    row = np.arange(len(windows))
    middle = (windows[row, np.maximum(there - 1, 0) // 2] + windows[row, np.minimum(there // 2, length - 1)]) / 2
    result = np.full(len(values), np.nan)
    result[length - 1 :] = np.where(there * 2 >= length, middle, np.nan)
    return result


def centre_and_scale(values: np.ndarray, *, floor: float, floor_share: float) -> tuple[float, float]:
    """Median, and the widest of 1.4826 MAD, (p90 - p10) / 2.563 and the floor; NaN where too little is there."""
    there = values[np.isfinite(values)]
    if len(there) < LEAST_BASELINE:
        return float("nan"), float("nan")
    centre = float(np.median(there))
    low, high = np.percentile(there, (10, 90))
    spread = max(1.4826 * float(np.median(np.abs(there - centre))), float(high - low) / 2.563)
    return centre, max(spread, floor, floor_share * abs(centre), 1e-9)


def deviation(values: np.ndarray, centre: float, scale: float, harmful: str) -> np.ndarray:
    """How many scales beyond the centre, positive where it hurts; NaN stays."""
    signed = (values - centre) / scale
    if harmful == "down":
        return -signed
    return np.abs(signed) if harmful == "both" else signed


def find_onset(series: Series, deviations: np.ndarray, within: Window) -> float | None:
    """The begin of the unusual stretch in ``within`` that weighs most (height times length); None without one."""
    unusual = _mended(np.nan_to_num(deviations, nan=0.0) >= UNUSUAL)
    times = series.times
    best, weight = None, 0.0
    for first, last in _runs(unusual):
        if times[last] < within.start or times[first] > within.end:
            continue
        height = float(np.nansum(np.clip(deviations[first : last + 1], 0, 50)))
        if last - first + 1 >= sustained_steps(series.step) and height > weight:
            best, weight = float(times[first]), height
    return best


def _mended(unusual: np.ndarray) -> np.ndarray:
    """Short breaks between unusual points filled."""
    mended = unusual.copy()
    at = np.flatnonzero(unusual)
    for before, after in pairwise(at):
        if after - before <= _MENDED_STEPS + 1:
            mended[before:after] = True
    return mended


def _runs(flags: np.ndarray) -> list[tuple[int, int]]:
    """First and last index of every run of True."""
    edges = np.diff(np.concatenate(([0], flags.astype(np.int8), [0])))
    return [
        (int(first), int(last) - 1)
        for first, last in zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1), strict=True)
    ]
