"""The converters, on tiny sets of the same shape as PetShop and Nezha; labels stay out of what the engine reads."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from diagnosis.replay import nezha, petshop
from diagnosis.replay.run import diagnose
from diagnosis.replay.tools import FolderTools

NODES = ("Site", "Pay_AWS::ECS::Fargate", "mail_remote", "Site_client")
T0 = 1_681_855_320
FIRST = 1_661_140_279


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write(text)


def petshop_table(start: int, steps: int, *, slow: bool, seed: int) -> str:
    random = np.random.default_rng(seed)
    columns = [
        (n, m, s) for m, s in (("latency", "Average"), ("availability", "Average"), ("requests", "Sum")) for n in NODES
    ]
    lines = ["".join(f",{column[part]}" for column in columns) for part in range(3)]
    lines = [name + line for name, line in zip(("microservice", "metric", "statistic"), lines, strict=True)]
    lines.append("unix_timestamp" + "," * len(columns))
    usual = {"latency": 0.1, "availability": 100.0, "requests": 500.0}
    for step in range(steps):
        row = [f"{start + 300 * step}.0"]
        for node, metric, _ in columns:
            value = usual[metric] * (1 + (0.03 * random.standard_normal() if metric == "latency" else 0))
            is_slow = slow and step >= 2 and metric == "latency" and node in NODES[:2]
            row.append(
                "" if node == "mail_remote" and metric == "latency" else f"{value + (1.0 if is_slow else 0):.6f}"
            )
        lines.append(",".join(row))
    return "\n".join(lines) + "\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    low = tmp_path / "low_traffic"
    write(low / "noissue.csv.gz", petshop_table(T0 + 9_000_000, 120, slow=False, seed=1))
    write(low / "test_issue_0.csv.gz", petshop_table(T0, 5, slow=True, seed=2))
    head = "," + ",".join(NODES)
    edges = {("Site", "Pay_AWS::ECS::Fargate"), ("Site", "mail_remote"), ("Site_client", "Site")}
    rows = [f"{a}," + ",".join("1.0" if (a, b) in edges else "0.0" for b in NODES) for a in NODES]
    write(low / "graph.csv.gz", "\n".join([head, *rows]) + "\n")
    target = {"node": "Site", "metric": "latency", "agg": "Average", "timestamp": T0 + 700}
    row = {"id": "low_traffic/test_issue_0", "scenario": "low_traffic", "target": target, "root_cause": NODES[1]}
    (tmp_path / "incidents.json").write_text(json.dumps([row]), encoding="utf-8")
    return tmp_path


def test_a_petshop_incident_is_solved_without_reading_its_label(shop: Path) -> None:
    [(name, incident)] = petshop.incidents(shop)
    assert name == "low_traffic/test_issue_0"
    assert incident.truth == {"node": NODES[1]}
    assert incident.topology.kinds == dict(zip(NODES, ("own", "own", "external", "client"), strict=True))
    found = diagnose(incident.subject, FolderTools(incident))
    assert found.ranking[0] == NODES[1]
    assert "root_cause" not in json.dumps(incident.subject)


def test_normal_operation_lies_right_before_the_incident(shop: Path) -> None:
    [(_, incident)] = petshop.incidents(shop)
    assert {row.start for row in incident.series} == {T0 - 120 * petshop.STEP}
    assert {len(row.values) for row in incident.series} == {125}
    availability = next(row for row in incident.series if row.family == "availability")
    assert availability.values.max() == 1.0


def nezha_rows(service: str, *, busy_from: int, busy_to: int) -> Iterator[str]:
    yield "Time,TimeStamp,PodName,CpuUsageRate(%),MemoryUsageRate(%),PodServerLatencyP95(s),PodWorkload(Ops)"
    random = np.random.default_rng(len(service))
    for step in range(300):
        at = FIRST + 60 * step
        busy = service == "cart" and busy_from <= at < busy_to
        cpu, latency = 10 + random.standard_normal() * 0.3 + 70 * busy, 0.01 * (1 + 0.03 * random.standard_normal())
        yield f"x,{at},{service},{cpu:.4f},20.0,{latency + 0.5 * busy:.5f},9.0"


@pytest.fixture
def boutique(tmp_path: Path) -> Path:
    injected = FIRST + 600
    metric = tmp_path / "2022-08-22" / "metric"
    for service in ("frontend", "cart"):
        rows = nezha_rows(service, busy_from=injected, busy_to=injected + 420)
        write(metric / f"{service}-5f6585d649-fnmft_metric.csv.gz", "\n".join(rows) + "\n")
    front = [f"x,{FIRST + 60 * n},Frontend,100,{0.2 + 0.6 * (10 <= n < 17) + 0.001 * (n % 7)}" for n in range(300)]
    write(
        metric / "front_service.csv.gz", "\n".join(["Time,TimeStamp,ServiceName,SuccessRate(%),LatencyP95(s)", *front])
    )
    write(metric / "dependency.csv.gz", "Source,Target,Weight\nfrontend,cart,1\ncart,33.33.33.80,1\n")
    row = {
        "id": "2022-08-22/00",
        "day": "2022-08-22",
        "inject_ts": injected,
        "service": "cart",
        "fault": "cpu_contention",
    }
    (tmp_path / "incidents.json").write_text(json.dumps([row]), encoding="utf-8")
    return tmp_path


def test_a_nezha_fault_is_solved_and_its_background_is_the_quiet_part_of_the_day(boutique: Path) -> None:
    [(_, incident)] = nezha.incidents(boutique)
    assert incident.truth == {"node": "cart", "fault": "cpu_contention"}
    assert incident.topology.edges == [("front-service", "frontend"), ("frontend", "cart")]
    cpu = next(row for row in incident.series if (row.node, row.family) == ("cart", "cpu"))
    assert np.nanmax(cpu.values[:180]) < 0.2
    found = diagnose(incident.subject, FolderTools(incident))
    assert found.ranking[0] == "cart"
    assert found.report["rootCause"]["mechanism"] == "resource"
