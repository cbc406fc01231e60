import numpy as np

from tests.diagnosis.engine.planted import (
    STEPS,
    calm_series,
    course,
    diagnosed,
    incident_of,
    noise,
    step_up,
    with_series,
)


def test_a_node_with_under_twenty_requests_is_never_a_candidate() -> None:
    rows = with_series(
        calm_series(),
        course("cart", "availability", step_up(np.full(STEPS, 0.999), -0.6)),
        course("cart", "traffic", np.full(STEPS, 0.05)),
    )
    found = diagnosed(incident_of(rows))
    assert "cart" not in found.ranking
    assert found.report["verdict"] != "likely"


def test_the_same_fall_over_many_requests_is_a_candidate() -> None:
    rows = with_series(calm_series(), course("cart", "availability", step_up(np.full(STEPS, 0.999), -0.6)))
    assert diagnosed(incident_of(rows)).ranking == ["cart"]


def test_latency_over_a_handful_of_requests_is_said_to_be_too_thin() -> None:
    rows = with_series(
        calm_series(),
        course("cart", "latency", step_up(noise(1, 0.1), 3.0)),
        course("cart", "traffic", np.full(STEPS, 0.05)),
    )
    report = diagnosed(incident_of(rows)).report
    assert "Too few requests reached cart to judge it." in report["unknown"]
