import pytest

from diagnosis.engine.times import seconds_of
from tests.diagnosis.engine.planted import (
    ONSET,
    STEP,
    alert_of,
    course,
    diagnosed,
    incident_of,
    noise,
    slow_pay,
    step_up,
)


@pytest.mark.parametrize("late", [120.0, 600.0, 900.0])
def test_the_onset_does_not_depend_on_when_the_alert_fired(late: float) -> None:
    report = diagnosed(incident_of(slow_pay(), alert=alert_of(at=ONSET + late))).report
    onset = seconds_of(report["rootCause"]["onset"])
    assert onset is not None
    assert abs(onset - ONSET) <= 2 * STEP


def test_the_alerts_expression_is_plotted_with_its_onset() -> None:
    expr = "p95 > 1"
    rows = [*slow_pay(), course("", "expression", step_up(noise(0, 0.1), 2.0), expr)]
    rule = {"alert": "ShopLatencyHigh", "expr": expr, "for": 120.0}
    report = diagnosed(incident_of(rows, rules=[rule])).report
    facts, chart = report["facts"], report["charts"][0]
    assert (chart["family"], chart["onset"]) == ("expression", facts["expression"]["onset"])
    assert max(value for _, value in chart["points"] if value is not None) > 1.5
    assert facts["expression"]["expr"] == expr
    assert facts["expression"]["for"] == 120.0
    assert abs((seconds_of(facts["expression"]["onset"]) or 0) - ONSET) <= 2 * STEP


def test_an_expression_that_has_values_only_while_it_holds_begins_with_its_first() -> None:
    import numpy as np

    expr = "p95 > 1"
    values = np.where(np.arange(400) < 262, np.nan, 2.0)
    rows = [*slow_pay(), course("", "expression", values, expr)]
    rule = {"alert": "ShopLatencyHigh", "expr": expr, "for": 120.0}
    facts = diagnosed(incident_of(rows, rules=[rule])).report["facts"]
    assert seconds_of(facts["expression"]["onset"]) == ONSET + 2 * STEP


def test_the_expression_is_read_from_the_generator_address() -> None:
    url = "http://prometheus:9090/graph?g0.expr=p95+%3E+1&g0.tab=1"
    report = diagnosed(incident_of(slow_pay(), alert=alert_of(generatorUrl=url))).report
    assert report["facts"]["expression"]["expr"] == "p95 > 1"
    assert "The alert's expression gave no data." in report["dataGaps"]
