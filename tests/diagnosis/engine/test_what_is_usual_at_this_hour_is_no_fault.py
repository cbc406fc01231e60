import numpy as np

from diagnosis.engine.types import Series
from tests.diagnosis.engine.planted import ONSET, START, STEP, diagnosed, incident_of, slow_pay, texts, with_series


def test_the_same_trouble_at_the_same_hour_yesterday_speaks_against_a_fault() -> None:
    days = np.arange(START - 86_400, START + 400 * STEP, STEP)
    peak = sum(((days >= at) & (days < at + 3600)) * 2.0 for at in (ONSET + 30, ONSET + 30 - 86_400))
    values = 0.1 * (1 + 0.05 * np.random.default_rng(1).standard_normal(len(days))) + peak
    shop = Series("shop", "latency", "", float(days[0]), STEP, values)
    rows = [row for row in slow_pay() if (row.node, row.family) != ("shop", "latency")]
    report = diagnosed(incident_of(with_series(rows, shop))).report
    assert report["verdict"] == "inconclusive"
    shop_row = next(row for row in report["candidates"] if row["node"] == "shop")
    assert "at the same hour yesterday" in texts(shop_row["against"])


def test_a_day_before_without_trouble_changes_nothing() -> None:
    report = diagnosed(incident_of(slow_pay())).report
    assert report["verdict"] == "likely"
    assert not any("same hour" in gap for gap in report["dataGaps"])
