from tests.diagnosis.engine.planted import (
    ONSET,
    calm_series,
    course,
    diagnosed,
    incident_of,
    noise,
    step_up,
    with_series,
)


def test_a_slow_service_with_idle_resources_and_callees_may_be_waiting() -> None:
    rows = with_series(
        calm_series(),
        course("pay", "latency", step_up(noise(2, 0.1), 2.0)),
        course("shop", "latency", step_up(noise(0, 0.1), 2.0, at=ONSET + 30)),
    )
    report = diagnosed(incident_of(rows)).report
    assert report["verdict"] == "inconclusive"
    assert report["candidates"][0]["node"] == "pay"
    assert any("may be lost in its calls" in claim["text"] for claim in report["candidates"][0]["against"])


def test_a_slow_service_that_calls_nobody_is_likely_slow_itself() -> None:
    rows = with_series(
        calm_series(),
        course("cart", "latency", step_up(noise(1, 0.1), 2.0)),
        course("shop", "latency", step_up(noise(0, 0.1), 2.0, at=ONSET + 30)),
    )
    report = diagnosed(incident_of(rows)).report
    assert report["verdict"] == "likely"
    assert (report["rootCause"]["node"], report["rootCause"]["mechanism"]) == ("cart", "latency")
