import numpy as np

from tests.diagnosis.engine.planted import STEPS, course, diagnosed, incident_of, slow_pay, with_series


def pods(bad: int) -> list[np.ndarray]:
    rows = [0.1 * (1 + 0.05 * np.random.default_rng(n).standard_normal(STEPS)) for n in range(400)]
    rows[bad] = np.where(np.arange(STEPS) >= 260, rows[bad] + 3.0, rows[bad])
    return rows


def test_the_one_bad_pod_of_four_hundred_is_found_and_the_limit_is_said() -> None:
    rows = [row for row in slow_pay() if (row.node, row.family) != ("pay", "latency")]
    many = [course("pay", "latency", values, f"pod-{n:03d}") for n, values in enumerate(pods(371))]
    found = diagnosed(incident_of(with_series(rows, *many)))
    assert found.ranking[0] == "pay"
    latency = next(a for a in found.state.of("analyse")["anomalies"] if (a["node"], a["family"]) == ("pay", "latency"))
    assert latency["name"] == "pod-371"
    assert "Of 400 series of latency of pay the 100 that moved most were judged." in found.report["limits"]
