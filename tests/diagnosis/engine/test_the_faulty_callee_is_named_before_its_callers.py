from tests.diagnosis.engine.planted import (
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


def test_the_slow_callee_is_ranked_before_the_service_that_waits_for_it() -> None:
    found = diagnosed(incident_of(slow_pay()))
    assert found.ranking[:2] == ["pay", "shop"]
    assert found.report["verdict"] == "likely"
    assert found.report["rootCause"]["node"] == "pay"
    assert found.report["rootCause"]["mechanism"] == "resource"


def test_the_waiting_service_is_said_to_pass_trouble_on() -> None:
    found = diagnosed(incident_of(slow_pay()))
    shop = found.report["candidates"][1]
    assert shop["mechanism"] == "dependency"
    assert "pay, which shop calls, turned unusual at or before it." in texts(shop["against"])
    assert "pay, which shop calls, turned unusual at or before it." in texts(found.report["ruledOut"])


def test_the_alerting_service_itself_can_be_the_cause() -> None:
    rows = with_series(
        calm_series(),
        course("shop", "latency", step_up(noise(0, 0.1), 2.0)),
        course("shop", "saturation", step_up(noise(7, 0.4), 0.55), "disk"),
    )
    found = diagnosed(incident_of(rows))
    assert found.report["rootCause"]["node"] == "shop"
    assert found.report["rootCause"]["mechanism"] == "resource"
