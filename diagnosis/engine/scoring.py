"""How unusual is one series: its worst sustained stretch after the onset against the same over the baseline.

Median and MAD, never mean and variance; the harmful direction only; ratios shrunk by the number of requests."""

from dataclasses import dataclass

import numpy as np

from diagnosis.engine.families import Family, family_of
from diagnosis.engine.onset import UNUSUAL, centre_and_scale, deviation, find_onset, stretches, sustained_steps
from diagnosis.engine.spans import Spans, clipped, on_own_step
from diagnosis.engine.types import Series, Window

LEAST_REQUESTS = 20
# A ratio over this many requests keeps half of its distance from the usual.
_HALF_TRUSTED = 20.0
_CORRELATED_POINTS = 12


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one series shows. ``z``: scales beyond the usual, at its worst; ``deviations`` at ``times``, for comparing.

    ``onset`` is None where nothing unusual was sustained; ``requests`` is None where traffic is not known."""

    node: str
    family: str
    name: str
    z: float
    onset: float | None
    worst: float
    usual: float
    requests: float | None
    times: np.ndarray
    deviations: np.ndarray

    @property
    def too_little_traffic(self) -> bool:
        return self.requests is not None and self.requests < LEAST_REQUESTS

    @property
    def unusual(self) -> bool:
        return self.onset is not None and self.z >= UNUSUAL and not self.too_little_traffic


def judge(series: Series, spans: Spans, *, traffic: Series | None = None, slack: float = 0.0) -> Judgement | None:
    """The judgement on a series in the window (``slack`` seconds wider, for clocks); None where it says nothing."""
    family = family_of(series.family)
    row = clipped(on_own_step(series), spans.window.end + slack)
    within = Window(spans.window.start - slack, spans.window.end + slack)
    requests = _requests(traffic, row.times, row.step) if traffic is not None and family.per_request else None
    values = _prepared(row.values, family)
    usual_part, after = row.times < within.start, (row.times >= within.start) & np.isfinite(values)
    if not after.any():
        return None
    if requests is not None and family.symptom == "error":
        values = _shrunk(values, usual_part, requests)
    smooth = stretches(values, sustained_steps(row.step))
    centre, scale = centre_and_scale(smooth[usual_part], floor=family.floor, floor_share=family.floor_share)
    if not scale > 0:
        return None
    deviations = deviation(values, centre, scale, family.harmful)
    sustained = deviation(smooth, centre, scale, family.harmful)
    z, at = _excess(sustained, usual_part, floor=scale_floor(family, centre) / scale)
    return Judgement(
        node=row.node,
        family=row.family,
        name=row.name,
        z=z,
        # By the values themselves: smoothing would make it late.
        onset=find_onset(row, deviations, within),
        worst=float(smooth[at]) if at is not None else float("nan"),
        usual=centre,
        requests=float(np.nanmax(requests[row.times >= within.start])) if requests is not None else None,
        times=row.times,
        deviations=deviations,
    )


def scale_floor(family: Family, centre: float) -> float:
    return max(family.floor, family.floor_share * abs(centre), 1e-9)


def _excess(deviations: np.ndarray, usual_part: np.ndarray, *, floor: float) -> tuple[float, int | None]:
    """How far the worst stretch of the window lies beyond the worst stretches of baseline windows of its length."""
    usual, after = deviations[usual_part], deviations[~usual_part]
    if not np.isfinite(after).any():
        return 0.0, None
    at = int(np.nanargmax(after))
    worst_of_windows = _worst_of_windows(usual, max(1, min(len(after), len(usual) // 4)))
    centre, scale = centre_and_scale(worst_of_windows, floor=floor, floor_share=0.0)
    z = (float(after[at]) - centre) / scale if scale > 0 else float(after[at])
    return max(0.0, z), int(usual_part.sum()) + at


def _worst_of_windows(values: np.ndarray, length: int) -> np.ndarray:
    """The largest value of every window of that length; NaN where a window is empty."""
    if len(values) < length:
        return values
    filled = np.where(np.isfinite(values), values, -np.inf)
    worst = np.lib.stride_tricks.sliding_window_view(filled, length).max(axis=1)
    return np.where(np.isfinite(worst), worst, np.nan)


def _prepared(values: np.ndarray, family: Family) -> np.ndarray:
    """Infinite becomes missing; an availability in per cent becomes a share."""
    prepared = np.where(np.isfinite(values), values, np.nan)
    if family.name == "availability" and np.isfinite(prepared).any() and np.nanmax(prepared) > 1.5:
        return prepared / 100.0
    return prepared


def _shrunk(values: np.ndarray, usual_part: np.ndarray, requests: np.ndarray) -> np.ndarray:
    """A ratio over few requests is drawn to the usual: one failure of two is not half of everything."""
    if not np.isfinite(values[usual_part]).any():
        return values
    usual = float(np.nanmedian(values[usual_part]))
    return usual + (values - usual) * (requests / (requests + _HALF_TRUSTED))


def _requests(traffic: Series, times: np.ndarray, step: float) -> np.ndarray:
    """Requests in the sustained stretch that ends at each of ``times``, from requests per second; a gap counts none."""
    there = np.isfinite(traffic.values)
    if not there.any():
        return np.zeros(len(times))
    index = np.round((times - traffic.start) / traffic.step).astype(int)
    inside = (index >= 0) & (index < len(traffic.values))
    rates = np.zeros(len(times))
    rates[inside] = np.nan_to_num(traffic.values[index[inside]], nan=0.0)
    return np.clip(rates, 0.0, None) * step * sustained_steps(step)


def correlation(one: Judgement, target: Judgement, window: Window) -> float:
    """How alike two courses are over the window and as long before (at least 12 points): 0 … 1, negative counts 0."""
    start = window.start - max(window.seconds, _CORRELATED_POINTS * _step(target))
    keep = (target.times >= start) & (target.times <= window.end)
    times = target.times[keep]
    if len(times) < 3 or len(one.times) < 2:
        return 0.0
    mine = np.interp(times, one.times, _bounded(one.deviations))
    theirs = _bounded(target.deviations[keep])
    if mine.std() < 1e-9 or theirs.std() < 1e-9:
        return 0.0
    return max(0.0, float(np.corrcoef(mine, theirs)[0, 1]))


def _step(judgement: Judgement) -> float:
    return float(judgement.times[1] - judgement.times[0]) if len(judgement.times) > 1 else 0.0


def _bounded(deviations: np.ndarray) -> np.ndarray:
    """Missing is usual; one wild value must not make the course."""
    return np.clip(np.nan_to_num(deviations, nan=0.0), -10.0, 30.0)


def strength(judgement: Judgement, alike: float) -> float:
    """ln(1 + z) times the correlation with the target; 0 for what is not unusual."""
    return float(np.log1p(judgement.z)) * alike if judgement.unusual else 0.0
