"""What a real Prometheus answers becomes series on the asked grid; gaps, resets and late starts are what they are."""

import numpy as np
import pytest

from diagnosis.datasources.prometheus import Prometheus
from diagnosis.datasources.protocol import MAX_POINTS, MAX_SERIES
from diagnosis.engine.types import Window
from tests.diagnosis.sources.recorded_shop import (
    CHECKOUT,
    DEPLOY,
    ENDED,
    POINTS,
    RESET,
    START,
    STEP,
    WINDOW,
    Asked,
)


def only(source: Prometheus, family: str, service: Asked = CHECKOUT) -> np.ndarray:
    (found,) = source.range(service, family, WINDOW, STEP)
    assert (found.node, found.family, found.start, found.step) == (service.name, family, START, STEP)
    assert len(found.values) == POINTS
    return found.values


def test_a_counter_that_resets_is_no_drop(source: Prometheus) -> None:
    traffic = only(source, "traffic")
    around = traffic[RESET - 10 : RESET + 10]
    # The increase across a reset is lost in part, but never negative and never a cliff.
    assert np.nanmin(around) > 1.2 and np.nanmax(around) < 2.5


def test_errors_before_the_first_error_are_none_not_unknown(source: Prometheus) -> None:
    errors = only(source, "errors")
    assert np.all(errors[10 : DEPLOY - 1] == 0)
    assert errors[DEPLOY + 10] == pytest.approx(0.2, rel=0.01)
    assert only(source, "availability")[DEPLOY + 10] == pytest.approx(1 - 0.2 / 2.2, rel=0.01)


def test_a_quantile_comes_from_the_histogram(source: Prometheus) -> None:
    assert np.nanmax(only(source, "latency")) == pytest.approx(0.91, abs=0.01)


def test_a_series_that_starts_midway_has_no_values_before(source: Prometheus) -> None:
    old, new = source.range(CHECKOUT, "version", WINDOW, STEP)
    assert (old.name, new.name) == tuple(f'checkout_build_info{{job="checkout",version="{v}"}}' for v in ("1.0", "1.1"))
    assert np.isfinite(new.values).nonzero()[0][0] == DEPLOY
    # The templates look back a minute: a series that ended is gone after one, not after five.
    assert np.isfinite(old.values).nonzero()[0][-1] <= DEPLOY + 4


def test_a_restart_is_a_step_of_the_start_time(source: Prometheus) -> None:
    starts = only(source, "restarts")
    assert (starts[RESET - 1], starts[RESET]) == (START - 1_000, START + STEP * RESET)


def test_a_gap_is_a_gap(source: Prometheus) -> None:
    pool = Asked("pool", {"job": "gap"}, templates={"saturation": "last_over_time(pool_used{$selector}[$range])"})
    values = only(source, "saturation", pool)
    assert np.isnan(values[110:200]).all() and np.all(values[200:ENDED] == 4) and np.isnan(values[ENDED + 5 :]).all()


def test_an_expression_is_asked_as_it_stands_and_so_repeats_for_five_minutes(source: Prometheus) -> None:
    (found,) = source.expression('pool_used{job="gap"}', WINDOW, STEP)
    assert (found.node, found.family, found.name) == ("", "expression", 'pool_used{job="gap"}')
    assert np.isfinite(found.values[ENDED + 19]) and np.isnan(found.values[ENDED + 21])


def test_nan_and_infinity_are_gaps_and_said(source: Prometheus) -> None:
    found = source.expression("odd", WINDOW, STEP)
    assert np.isnan(found[0].values).all()
    assert found.notes == ("Infinite values count as gaps.",)
    assert found.bytes > 1_000


def test_rare_samples_are_looked_back_for_further(source: Prometheus) -> None:
    rare = Asked("rare", {"job": "rare"}, templates={"traffic": "rate(rare_total{$selector}[$range])"})
    found = source.range(rare, "traffic", WINDOW, STEP)
    assert np.nanmedian(found[0].values) == pytest.approx(1)
    assert found.notes == ("Samples are rare: each point looks back 300 seconds.",)


def test_a_family_without_data_gives_no_series(source: Prometheus) -> None:
    assert source.range(CHECKOUT, "saturation", WINDOW, STEP) == []
    assert source.range(CHECKOUT, "network", WINDOW, STEP) == []


def test_a_step_that_is_too_fine_is_raised_and_said(source: Prometheus) -> None:
    long = Window(START - 86_400 * 7, START)
    found = source.expression("vector(1)", long, 15)
    assert len(found[0].values) <= MAX_POINTS
    assert found[0].step == 55
    assert found.notes == ("The step was raised from 15 to 55 seconds.",)


def test_too_many_series_are_cut_and_said(source: Prometheus) -> None:
    found = source.expression("many", Window(START, START + 30), STEP)
    assert len(found) == MAX_SERIES and found.truncated
    assert found.notes == ("2100 series answered; the first 2,000 were taken.",)


def test_the_same_question_gets_the_same_answer(source: Prometheus) -> None:
    first, second = (source.range(CHECKOUT, "version", WINDOW, STEP) for _ in range(2))
    assert [one.name for one in first] == [one.name for one in second]
    assert all(np.array_equal(a.values, b.values, equal_nan=True) for a, b in zip(first, second, strict=True))


def test_rules_and_alerts_are_read(source: Prometheus) -> None:
    assert source.rule("CheckoutErrors") == {"expr": "vector(1) > 0", "for": 90.0}
    assert source.rule("Unheard") is None
    assert {alert["labels"]["alertname"] for alert in source.alerts()} <= {"CheckoutErrors", "Fires"}
