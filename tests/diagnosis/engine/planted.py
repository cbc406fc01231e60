"""Small incidents with a known cause, for tests of the engine: shop calls cart and pay, pay calls bank."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from diagnosis.engine.times import iso
from diagnosis.engine.types import Series, Topology
from diagnosis.replay.incident import Incident
from diagnosis.replay.run import Diagnosed, diagnose
from diagnosis.replay.tools import FolderTools

START, STEP, STEPS = 1_772_600_000.0, 30.0, 400
ONSET = START + 260 * STEP
EDGES = (("shop", "cart"), ("shop", "pay"), ("pay", "bank"))
NODES = ("shop", "cart", "pay", "bank")


def noise(seed: int, usual: float, share: float = 0.05) -> np.ndarray:
    return usual * (1 + share * np.random.default_rng(seed).standard_normal(STEPS))


def step_up(values: np.ndarray, by: float, *, at: float = ONSET, end: float | None = None) -> np.ndarray:
    """``values`` with ``by`` added from ``at`` on (until ``end``)."""
    times = START + STEP * np.arange(len(values))
    return np.where((times >= at) & (times < (end or np.inf)), values + by, values)


def course(node: str, family: str, values: np.ndarray, name: str = "") -> Series:
    return Series(node, family, name, START, STEP, values)


def calm_series(nodes: Sequence[str] = NODES) -> list[Series]:
    """Latency, errors and CPU of every node, as usual all the time."""
    rows = []
    for number, node in enumerate(nodes):
        rows.append(course(node, "latency", noise(number, 0.1)))
        rows.append(course(node, "availability", np.full(STEPS, 0.9995)))
        rows.append(course(node, "cpu", noise(number + 50, 0.3)))
        rows.append(course(node, "traffic", noise(number + 90, 20.0)))
    return rows


def with_series(rows: Sequence[Series], *new: Series) -> list[Series]:
    """``rows`` where a new one takes the place of the one of its node, family and name."""
    told = {(row.node, row.family, row.name): row for row in (*rows, *new)}
    return list(told.values())


def alert_of(
    service: str = "shop", name: str = "ShopLatencyHigh", at: float = ONSET + 240, **more: Any
) -> dict[str, Any]:
    told = {"id": f"alert-{name}", "name": name, "service": service, "startsAt": iso(at), "endsAt": None}
    return {**told, "labels": {"service": service}, "annotations": {}, "generatorUrl": "", **more}


def incident_of(series: Sequence[Series], *, alert: dict[str, Any] | None = None, **more: Any) -> Incident:
    """An incident about ``alert`` (latency of shop by default) with the window that the product would choose."""
    alert = alert_of() if alert is None else alert
    at = ONSET + 240
    subject = {
        "query": "",
        "window": {"start": iso(at - 3600), "end": iso(at + 900)},
        "alert": alert,
        "incident": {"id": "inc-1", "title": "Shop is slow"},
        "alerts": [alert],
    }
    topology = Topology(dict.fromkeys(NODES, "own"), EDGES)
    return replace(Incident(subject, topology, series, alerts=[alert]), **more)


def slow_pay(by: float = 2.0) -> list[Series]:
    """pay is slow, and shop, which waits for it, too."""
    rows = calm_series()
    pay = course("pay", "latency", step_up(noise(2, 0.1), by))
    shop = course("shop", "latency", step_up(noise(0, 0.1), by, at=ONSET + 30))
    return with_series(rows, pay, shop, course("pay", "cpu", step_up(noise(52, 0.3), 0.6)))


def diagnosed(incident: Incident) -> Diagnosed:
    return diagnose(incident.subject, FolderTools(incident))


def texts(claims: Sequence[Mapping[str, Any]]) -> str:
    return " ".join(claim["text"] for claim in claims)
