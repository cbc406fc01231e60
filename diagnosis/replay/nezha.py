"""Nezha (IntelligentDDS/Nezha, MIT): its labelled faults in Online Boutique and Train Ticket as ``Incident`` objects.

Faults follow each other every eight minutes from the first minutes of a day on, so there is no quiet time before them:
what counts as usual is three hours of the same day after the last fault, moved right before each window. Train Ticket
comes without a call graph: its entry is taken to call every service. Labels come into ``truth`` only.
"""

import csv
import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from diagnosis.engine.times import iso
from diagnosis.engine.types import Series, Topology
from diagnosis.replay.incident import Incident

STEP = 60.0
BEFORE, AFTER = 2, 6  # Steps of the window before and after the injection.
_QUIET_AFTER_SECONDS, _QUIET_STEPS = 1800.0, 180
_ENTRY = "front-service"
# Column to (family, divisor).
_COLUMNS = {
    "CpuUsageRate(%)": ("cpu", 100.0),
    "MemoryUsageRate(%)": ("memory", 100.0),
    "PodServerLatencyP95(s)": ("latency", 1.0),
    "PodWorkload(Ops)": ("traffic", 1.0),
    "LatencyP95(s)": ("latency", 1.0),
}
Course = tuple[np.ndarray, np.ndarray]
Day = Mapping[tuple[str, str], Course]


def incidents(path: Path) -> Iterator[tuple[str, Incident]]:
    """(id, incident) of every labelled fault below ``path`` (the folder with ``incidents.json``)."""
    rows = json.loads((path / "incidents.json").read_text(encoding="utf-8"))
    for row in rows:
        last = max(other["inject_ts"] for other in rows if other["day"] == row["day"])
        yield row["id"], _incident(path / row["day"] / "metric", row, quiet_from=last + _QUIET_AFTER_SECONDS)


def _incident(folder: Path, row: Mapping[str, Any], *, quiet_from: float) -> Incident:
    day = _day(folder)
    start = row["inject_ts"] - BEFORE * STEP
    window = {"start": iso(start), "end": iso(row["inject_ts"] + AFTER * STEP)}
    alert = {
        "id": row["id"],
        "name": "LatencyHigh",
        "service": _ENTRY,
        "startsAt": iso(row["inject_ts"] + STEP),
        "endsAt": None,
        "labels": {"service": _ENTRY},
        "annotations": {},
        "generatorUrl": "",
    }
    subject = {
        "query": "",
        "window": window,
        "baseline": {"start": iso(start - _QUIET_STEPS * STEP), "end": iso(start)},
        "alert": alert,
        "incident": {"id": row["id"], "title": row["id"]},
        "alerts": [alert],
    }
    series = [_series(key, course, start, quiet_from) for key, course in sorted(day.items())]
    topology = _topology(folder, sorted({node for node, _ in day} - {_ENTRY}))
    return Incident(subject, topology, series, alerts=[alert], truth={"node": row["service"], "fault": row["fault"]})


def _series(key: tuple[str, str], course: Course, start: float, quiet_from: float) -> Series:
    values = np.concatenate([_part(course, quiet_from, _QUIET_STEPS), _part(course, start, BEFORE + AFTER + 1)])
    return Series(*key, name="", start=start - _QUIET_STEPS * STEP, step=STEP, values=values)


def _part(course: Course, start: float, steps: int) -> np.ndarray:
    """The values of ``steps`` minutes from ``start``; NaN for a minute without one."""
    times, values = course
    part = np.full(steps, np.nan)
    index = np.round((times - start) / STEP).astype(int)
    inside = (index >= 0) & (index < steps)
    part[index[inside]] = values[inside]
    return part


@cache
def _day(folder: Path) -> Day:
    """Times and values by (service, family); a service is its pod's name without the two parts of the replica."""
    day: dict[tuple[str, str], Course] = {}
    for file in sorted(folder.glob("*.csv.gz")):
        pod = file.name.removesuffix("_metric.csv.gz")
        if pod != file.name:
            day.update(_courses(pod.rsplit("-", 2)[0], _rows(file)))
    return {**day, **_courses(_ENTRY, _rows(folder / "front_service.csv.gz"))}


def _courses(service: str, rows: Sequence[Mapping[str, str]]) -> dict[tuple[str, str], Course]:
    times = np.array([float(row["TimeStamp"]) for row in rows])
    return {
        (service, family): (times, np.array([float(row[column] or "nan") for row in rows]) / divisor)
        for column, (family, divisor) in _COLUMNS.items()
        if column in rows[0]
    }


def _rows(file: Path) -> list[dict[str, str]]:
    with gzip.open(file, "rt", encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@cache
def _topology_rows(folder: Path) -> tuple[tuple[str, str], ...]:
    file = folder / "dependency.csv.gz"
    return tuple((row["Source"], row["Target"]) for row in _rows(file)) if file.exists() else ()


def _topology(folder: Path, services: Sequence[str]) -> Topology:
    edges = [edge for edge in _topology_rows(folder) if set(edge) <= set(services)]
    called = {callee for _, callee in edges}
    entries = [(_ENTRY, service) for service in services if service not in called]
    return Topology(dict.fromkeys((_ENTRY, *services), "own"), sorted([*edges, *entries]))
