from diagnosis.engine.types import Topology
from tests.diagnosis.engine.planted import (
    EDGES,
    NODES,
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


def test_an_external_node_is_reported_and_not_discounted_away() -> None:
    rows = with_series(
        calm_series(),
        course("bank", "latency", step_up(noise(3, 0.1), 4.0)),
        course("pay", "latency", step_up(noise(2, 0.1), 0.15, at=ONSET + 300)),
        course("shop", "latency", step_up(noise(0, 0.1), 0.12, at=ONSET + 300)),
    )
    kinds = {**dict.fromkeys(NODES, "own"), "bank": "external"}
    found = diagnosed(incident_of(rows, topology=Topology(kinds, EDGES)))
    bank = next(row for row in found.report["candidates"] if row["node"] == "bank")
    assert (bank["kind"], bank["mechanism"]) == ("external", "dependency")
    assert "outside our systems" in texts(bank["against"])
