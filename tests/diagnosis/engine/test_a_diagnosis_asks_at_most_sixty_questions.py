from diagnosis.engine.limits import MAX_CALLS
from diagnosis.engine.types import Topology
from diagnosis.replay.run import diagnose
from diagnosis.replay.tools import FolderTools
from tests.diagnosis.engine.planted import alert_of, calm_series, incident_of


def test_a_large_catalogue_is_cut_at_the_limit_and_that_is_said() -> None:
    nodes = ["shop", *(f"svc-{n:02d}" for n in range(50))]
    topology = Topology(dict.fromkeys(nodes, "own"), [("shop", node) for node in nodes[1:]])
    incident = incident_of(calm_series(nodes), topology=topology)
    tools = FolderTools(incident)
    found = diagnose(incident.subject, tools)
    assert tools.asked <= MAX_CALLS
    assert any("at most 60 questions" in sentence for sentence in found.report["limits"])


def test_the_target_and_what_the_alert_speaks_of_are_asked_first() -> None:
    nodes = ["shop", *(f"svc-{n:02d}" for n in range(50))]
    topology = Topology(dict.fromkeys(nodes, "own"), [("shop", node) for node in nodes[1:]])
    incident = incident_of(calm_series(nodes), topology=topology)
    probes = diagnose(incident.subject, FolderTools(incident)).state.of("plan")["probes"]
    assert (probes[0]["node"], probes[0]["family"]) == ("shop", "latency")
    assert sum(probe["family"] == "latency" for probe in probes) >= 51


def test_callees_within_four_hops_and_callers_within_one_are_candidates() -> None:
    chain = [(f"n{n}", f"n{n + 1}") for n in range(8)]
    topology = Topology({}, [*chain, ("far", "near"), ("near", "n0")])
    incident = incident_of([], topology=topology, alert=alert_of("n0"))
    nodes = {row["node"] for row in diagnose(incident.subject, FolderTools(incident)).state.of("scope")["nodes"]}
    assert nodes == {"n0", "n1", "n2", "n3", "n4", "near"}
