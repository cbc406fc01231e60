from tests.diagnosis.engine.planted import (
    ONSET,
    calm_series,
    course,
    diagnosed,
    incident_of,
    noise,
    step_up,
    texts,
    with_series,
)


def test_a_node_that_was_unusual_when_the_window_opened_is_no_likely_cause() -> None:
    long_before = ONSET - 3600
    rows = with_series(calm_series(), course("pay", "latency", step_up(noise(2, 0.1), 3.0, at=long_before)))
    report = diagnosed(incident_of(rows)).report
    assert report["verdict"] == "inconclusive"
    assert "when that began is not known" in texts(report["candidates"][0]["against"])
