from tests.diagnosis.engine.planted import calm_series, course, diagnosed, incident_of, noise, step_up, with_series


def test_calm_services_give_no_anomaly() -> None:
    report = diagnosed(incident_of(calm_series())).report
    assert report["verdict"] == "no_anomaly"
    assert report["rootCause"] is None
    assert report["summary"]["evidence"]


def test_a_spike_of_one_step_is_not_sustained() -> None:
    values = noise(0, 0.1)
    values[270] = 9.0
    report = diagnosed(incident_of(with_series(calm_series(), course("shop", "latency", values)))).report
    assert report["verdict"] == "no_anomaly"


def test_a_change_for_the_better_is_no_harm() -> None:
    rows = with_series(
        calm_series(),
        course("pay", "latency", step_up(noise(2, 0.1), -0.08)),
        course("pay", "availability", step_up(noise(2, 0.9, 0.001), 0.099)),
    )
    assert diagnosed(incident_of(rows)).report["verdict"] == "no_anomaly"


def test_everything_unusual_at_once_names_the_deepest_or_nothing() -> None:
    rows = [course(row.node, row.family, step_up(row.values, 3 * abs(row.values).max())) for row in calm_series()]
    report = diagnosed(incident_of(rows)).report
    assert report["rootCause"] is None or report["rootCause"]["node"] in ("bank", "cart", "pay")
