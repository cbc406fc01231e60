"""PetShop (amazon-science/petshop-root-cause-analysis, CC BY 4.0): its labelled incidents as ``Incident`` objects.

Normal operation was recorded months apart from the incidents: here it lies right before each of them, moved by as much
as that takes. Labels come into ``truth`` only.
"""

import csv
import gzip
import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from diagnosis.engine.times import iso
from diagnosis.engine.types import NodeKind, Series, Topology
from diagnosis.replay.incident import Incident

STEP = 300.0
# (metric, statistic) of the set to our family; requests are counts in five minutes.
_FAMILIES = {
    ("latency", "Average"): "latency",
    ("latency", "p95"): "latency",
    ("availability", "Average"): "availability",
    ("requests", "Sum"): "traffic",
}
_DIVISORS = {"availability": 100.0, "traffic": STEP}
_ALERTS = {"latency": "LatencyHigh", "availability": "AvailabilityLow"}

Key = tuple[str, str, str]
Table = tuple[np.ndarray, Mapping[Key, np.ndarray]]


def incidents(path: Path) -> Iterator[tuple[str, Incident]]:
    """(id, incident) of every labelled incident below ``path`` (the folder with ``incidents.json``)."""
    for row in json.loads((path / "incidents.json").read_text(encoding="utf-8")):
        yield row["id"], _incident(path, row)


def _incident(path: Path, row: Mapping[str, Any]) -> Incident:
    folder = path / row["scenario"]
    times, values = _table(folder / f"{row['id'].rpartition('/')[2]}.csv.gz")
    _, usual = _table(folder / "noissue.csv.gz")
    target, start = row["target"], float(times[0])
    steps = len(next(iter(usual.values())))
    alert = {
        "id": row["id"],
        "name": _ALERTS[target["metric"]],
        "service": target["node"],
        "startsAt": iso(target["timestamp"]),
        "endsAt": None,
        "labels": {"service": target["node"]},
        "annotations": {},
        "generatorUrl": "",
    }
    subject = {
        "query": "",
        "window": {"start": iso(start), "end": iso(float(times[-1]))},
        "baseline": {"start": iso(start - steps * STEP), "end": iso(start)},
        "alert": alert,
        "incident": {"id": row["id"], "title": row["id"]},
        "alerts": [alert],
    }
    courses = {
        key: np.concatenate([_of(usual, key, steps), _of(values, key, len(times))]) for key in sorted({*values, *usual})
    }
    series = [Series(*key, start=start - steps * STEP, step=STEP, values=course) for key, course in courses.items()]
    return Incident(subject, _topology(folder), series, alerts=[alert], truth={"node": row["root_cause"]})


def _of(table: Mapping[Key, np.ndarray], key: Key, length: int) -> np.ndarray:
    return table.get(key, np.full(length, np.nan))


@cache
def _table(path: Path) -> Table:
    """Times, and the columns that we use by (node, family, statistic)."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        nodes, metrics, statistics, *rows = csv.reader(file)
    rows = [row for row in rows if row and row[0] not in ("unix_timestamp", "")]
    times = np.array([float(row[0]) for row in rows])
    columns: dict[Key, np.ndarray] = {}
    for number in range(1, len(nodes)):
        family = _FAMILIES.get((metrics[number], statistics[number]))
        if family is not None:
            values = np.array([float(row[number]) if row[number] else np.nan for row in rows])
            columns[nodes[number], family, statistics[number]] = values / _DIVISORS.get(family, 1.0)
    return times, columns


@cache
def _topology(folder: Path) -> Topology:
    with gzip.open(folder / "graph.csv.gz", "rt", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    edges = [(row[0], header[n]) for row in rows for n in range(1, len(row)) if float(row[n] or 0)]
    return Topology({row[0]: _kind(row[0]) for row in rows}, sorted(edges))


def _kind(node: str) -> NodeKind:
    """By the X-Ray type behind the name: a remote or a bare service endpoint is seen from its callers only."""
    if node.endswith("_client"):
        return "client"
    kind = node.rpartition("_")[2] if "_" in node else ""
    return "external" if kind == "remote" or kind.count("::") == 1 else "own"
