from tests.diagnosis.engine.planted import (
    ONSET,
    calm_series,
    course,
    diagnosed,
    incident_of,
    noise,
    slow_pay,
    step_up,
    texts,
    with_series,
)


def test_high_cpu_with_requests_as_usual_is_ruled_out() -> None:
    rows = with_series(slow_pay(), course("cart", "cpu", step_up(noise(51, 0.3), 0.65, at=ONSET)))
    found = diagnosed(incident_of(rows))
    assert found.ranking[0] == "pay"
    cart = next(row for row in found.report["candidates"] if row["node"] == "cart")
    assert "Requests to cart itself are answered as usual." in texts(cart["against"])
    assert "Requests to cart itself are answered as usual." in texts(found.report["ruledOut"])


def test_a_neighbour_alone_explains_nothing() -> None:
    rows = with_series(calm_series(), course("cart", "cpu", step_up(noise(51, 0.3), 0.65)))
    found = diagnosed(incident_of(rows))
    assert found.report["verdict"] == "inconclusive"
    assert found.report["rootCause"] is None
