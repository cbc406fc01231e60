import numpy as np
import pytest

from diagnosis.engine.changes import restart_times
from diagnosis.engine.types import Series, Topology
from tests.diagnosis.engine.planted import (
    EDGES,
    NODES,
    ONSET,
    START,
    STEP,
    STEPS,
    alert_of,
    calm_series,
    course,
    diagnosed,
    incident_of,
    noise,
    slow_pay,
    step_up,
    with_series,
)


def holes(values: np.ndarray, share: float, seed: int = 1) -> np.ndarray:
    return np.where(np.random.default_rng(seed).random(len(values)) < share, np.nan, values)


def test_gaps_and_infinities_do_not_hide_the_cause() -> None:
    rows = [course(row.node, row.family, holes(row.values, 0.3)) for row in slow_pay()]
    broken = course("bank", "latency", np.where(np.arange(STEPS) % 5 == 0, np.inf, noise(3, 0.1)))
    assert diagnosed(incident_of(with_series(rows, broken))).report["rootCause"]["node"] == "pay"


def test_a_series_of_nothing_but_gaps_is_a_data_gap() -> None:
    rows = with_series(slow_pay(), course("bank", "latency", np.full(STEPS, np.nan)))
    report = diagnosed(incident_of(rows)).report
    assert report["rootCause"]["node"] == "pay"
    assert "latency of bank holds no values in this time." in report["dataGaps"]


def test_a_series_that_begins_in_the_middle_is_not_called_unusual() -> None:
    late = np.where(np.arange(STEPS) < 250, np.nan, noise(9, 5.0))
    found = diagnosed(incident_of(with_series(slow_pay(), course("cart", "latency", late))))
    assert "cart" not in found.ranking
    assert found.ranking[0] == "pay"


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_clock_that_is_off_by_an_hour_is_found_out(hours: int) -> None:
    length = 700
    start = ONSET - 400 * STEP
    times = start + STEP * np.arange(length)
    moved = ONSET + 3600 * hours

    def row(node: str, seed: int, by: float) -> Series:
        values = 0.1 * (1 + 0.05 * np.random.default_rng(seed).standard_normal(length))
        return Series(node, "latency", "", start, STEP, np.where(times >= moved, values + by, values))

    rows = [row("shop", 1, 2.0), row("pay", 2, 2.0), row("cart", 3, 0.0), row("bank", 4, 0.0)]
    report = diagnosed(incident_of(rows)).report
    assert report["candidates"][0]["node"] == "pay"
    if hours > 0:
        assert any("a clock may be off" in sentence for sentence in report["unknown"])


def test_a_counter_that_was_reset_is_a_restart_and_a_gap_is_none() -> None:
    values = np.concatenate([np.full(50, 7.0), np.full(20, np.nan), np.full(30, 7.0), np.full(100, 0.0)])
    assert restart_times(Series("pay", "restarts", "", START, STEP, values)) == [START + 100 * STEP]


def test_a_counter_that_rises_is_a_restart() -> None:
    values = np.concatenate([np.full(50, 2.0), np.full(50, 3.0)])
    assert restart_times(Series("pay", "restarts", "", START, STEP, values)) == [START + 50 * STEP]


def test_a_start_time_that_moves_is_a_restart_and_its_rounding_is_none() -> None:
    values = np.concatenate([np.full(50, START), np.full(25, START + 0.4), np.full(25, START + 900)])
    assert restart_times(Series("pay", "restarts", "", START, STEP, values)) == [START + 75 * STEP]


def test_a_cycle_in_the_calls_ends() -> None:
    topology = Topology(dict.fromkeys(NODES, "own"), (*EDGES, ("bank", "shop"), ("pay", "pay")))
    found = diagnosed(incident_of(slow_pay(), topology=topology))
    assert "pay" in found.ranking[:2]


def test_an_unknown_service_is_a_candidate_and_said_to_be_unknown() -> None:
    rows = [row for row in slow_pay() if row.node in ("shop", "pay")]
    found = diagnosed(incident_of(rows, alert=alert_of("ghost"), topology=Topology({"shop": "own"}, ())))
    assert any("ghost is not in the service catalogue" in sentence for sentence in found.report["unknown"])
    assert found.report["verdict"] == "inconclusive"
    there = diagnosed(incident_of(with_series(rows), alert=alert_of("pay"), topology=Topology()))
    assert there.ranking == ["pay"]


def test_a_series_recorded_every_five_minutes_is_judged_on_a_grid_of_fifteen_seconds() -> None:
    def sparse(node: str, by: float, seed: int) -> Series:
        values = step_up(noise(seed, 0.1), by, at=ONSET)
        grid = np.full(STEPS * 2, np.nan)
        grid[::20] = values[::10]
        return Series(node, "latency", "", START, STEP / 2, grid)

    found = diagnosed(incident_of([sparse("shop", 2.0, 1), sparse("pay", 2.0, 2), sparse("cart", 0.0, 3)]))
    assert found.ranking[0] == "pay"


def test_constant_series_have_a_floor() -> None:
    rows = with_series(calm_series(), course("pay", "latency", step_up(np.full(STEPS, 0.1), 0.001)))
    assert diagnosed(incident_of(rows)).report["verdict"] == "no_anomaly"
