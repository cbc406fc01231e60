"""Makes the sample incident: ``python -m diagnosis.samples.generate``; the same seed gives the same bytes.

Checkout turns slow because a deploy of payment leaks database connections until its pool is full. Beside it, to be
ruled out: shipping was deployed eight minutes earlier and is innocent; recommendation burns CPU on a nightly batch,
which harms nobody.
"""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import yaml

from diagnosis.engine.times import iso, seconds_of
from diagnosis.engine.types import Series
from diagnosis.replay.metrics_file import csv_from_series

FOLDER: Final = Path(__file__).parent / "checkout-latency"
SEED: Final = 20260304
STEP: Final = 30.0
START: Final = seconds_of("2026-03-04T08:45:00Z") or 0.0
STEPS: Final = 300
SHIPPING_DEPLOY: Final = "2026-03-04T10:29:00Z"
PAYMENT_DEPLOY: Final = "2026-03-04T10:37:00Z"
BATCH_STARTS: Final = "2026-03-04T10:33:00Z"
POOL_ALERT: Final = "2026-03-04T10:44:30Z"
LATENCY_ALERT: Final = "2026-03-04T10:46:00Z"
EXPRESSION: Final = (
    'histogram_quantile(0.95, sum by (le) (rate(http_request_duration_seconds_bucket{service="checkout"}[5m])))'
)

# Usual p95 seconds and requests per second.
_USUAL: Final = {
    "web": (0.52, 42.0),
    "checkout": (0.34, 18.0),
    "payment": (0.12, 17.0),
    "payment-db": (0.008, 60.0),
    "card-gateway": (0.085, 16.0),
    "cart": (0.045, 35.0),
    "inventory": (0.06, 22.0),
    "shipping": (0.07, 15.0),
    "pricing": (0.03, 28.0),
    "recommendation": (0.09, 20.0),
}
_EDGES: Final = (
    ("web", "checkout"),
    ("web", "cart"),
    ("checkout", "payment"),
    ("checkout", "cart"),
    ("checkout", "inventory"),
    ("checkout", "shipping"),
    ("checkout", "pricing"),
    ("payment", "payment-db"),
    ("payment", "card-gateway"),
    ("cart", "recommendation"),
)
# How much of payment's wait each service feels, in seconds at the worst, and how long after payment.
_FELT: Final = {"payment": (4.9, 0.0), "checkout": (5.0, 30.0), "web": (3.1, 60.0)}

Course = Callable[[np.ndarray], np.ndarray]


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, text in files().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


def files() -> dict[str, str]:
    """The folder's files as text, by name."""
    return {
        "incident.yaml": yaml.safe_dump(incident(), sort_keys=False, allow_unicode=True, width=110),
        "metrics.csv": csv_from_series(series(np.random.default_rng(SEED))),
        "changes.jsonl": _lines(changes()),
        "logs.jsonl": _lines(logs(random.Random(SEED))),
        "truth.json": json.dumps({"node": "payment", "mechanism": "change", "onset": PAYMENT_DEPLOY}, indent=1) + "\n",
    }


def incident() -> dict[str, object]:
    pool = _alert("PaymentPoolExhausted", "payment", POOL_ALERT, "Every connection of the pool of payment is in use")
    slow = _alert("CheckoutLatencyHigh", "checkout", LATENCY_ALERT, "p95 of checkout is above 2 s")
    services = [{"name": name, "kind": "external" if name == "card-gateway" else "own"} for name in _USUAL]
    return {
        "id": "sample-checkout-latency",
        "title": "Checkout is slow",
        "query": "",
        "window": {"start": "2026-03-04T09:46:00Z", "end": "2026-03-04T11:01:00Z"},
        "alert": slow,
        "alerts": [pool, {**slow, "labels": dict(slow["labels"]), "annotations": dict(slow["annotations"])}],
        "services": services,
        "edges": [list(edge) for edge in _EDGES],
        "rules": [{"alert": "CheckoutLatencyHigh", "expr": EXPRESSION, "for": 120}],
    }


def _alert(name: str, service: str, at: str, summary: str) -> dict[str, Any]:
    return {
        "id": f"sample-{name}",
        "name": name,
        "service": service,
        "startsAt": at,
        "endsAt": "2026-03-04T11:15:00Z",
        "labels": {"alertname": name, "service": service, "severity": "page"},
        "annotations": {"summary": summary, "runbook_url": "https://runbooks.example.com/connection-pool-exhausted"},
        "generatorUrl": "",
    }


def changes() -> list[dict[str, str]]:
    return [
        _deploy("shipping", SHIPPING_DEPLOY, "2.14.1"),
        _deploy("payment", PAYMENT_DEPLOY, "5.3.0"),
    ]


def _deploy(service: str, at: str, version: str) -> dict[str, str]:
    url = f"https://deploys.example.com/{service}/{version}"
    return {"service": service, "kind": "deploy", "at": at, "version": version, "url": url}


# Metrics.


def series(random_: np.random.Generator) -> Iterator[Series]:
    """Every recorded series; half a minute apart, what hardly moves five minutes."""
    for service, (latency, rate) in _USUAL.items():
        yield _series(service, "latency", "p95", _felt(service, _noisy(random_, latency, 0.06)))
        if service in ("web", "checkout", "payment", "shipping"):
            yield _series(service, "traffic", "", _noisy(random_, rate, 0.05))
            yield _series(service, "availability", "", 1.0 - _failing(service) * (1 + 0.2 * random_.random(STEPS)))
        if service not in ("web", "card-gateway", "pricing"):
            yield _series(service, "cpu", "", _cpu(service, _noisy(random_, 0.32, 0.08)))
    yield _series("payment", "saturation", "db_pool", np.clip(_noisy(random_, 0.42, 0.06) + 0.6 * _ramp(0, 360), 0, 1))
    yield _series("inventory", "saturation", "db_pool", _noisy(random_, 0.35, 0.07))
    yield from _versions("payment", "5.2.7", "5.3.0", PAYMENT_DEPLOY)
    yield from _versions("shipping", "2.14.0", "2.14.1", SHIPPING_DEPLOY)
    for service, at in (("payment", PAYMENT_DEPLOY), ("shipping", SHIPPING_DEPLOY), ("cart", "2026-03-01T04:00:00Z")):
        yield _start_times(service, at)
    yield Series("", "expression", EXPRESSION, START, STEP, np.round(_felt("checkout", _noisy(random_, 0.34, 0.04)), 4))


def _series(service: str, family: str, name: str, values: np.ndarray) -> Series:
    return Series(service, family, name, START, STEP, np.round(values, 4))


def _noisy(random_: np.random.Generator, usual: float, share: float) -> np.ndarray:
    """A slow wave, noise, and now and then a spike of one step."""
    wave = 1 + 0.05 * np.sin(np.arange(STEPS) / 45 + random_.uniform(0, 6))
    spikes = np.where(random_.random(STEPS) < 0.006, 1.5, 1.0)
    return usual * wave * spikes * (1 + share * random_.standard_normal(STEPS))


def _ramp(after_deploy: float, length: float) -> np.ndarray:
    """0 before, 1 from ``length`` seconds after, a line between; counted from payment's deploy."""
    begin = (seconds_of(PAYMENT_DEPLOY) or 0.0) + after_deploy
    return np.clip((START + STEP * np.arange(STEPS) - begin) / length, 0.0, 1.0)


def _felt(service: str, values: np.ndarray) -> np.ndarray:
    worst, late = _FELT.get(service, (0.0, 0.0))
    return values + worst * _ramp(240 + late, 300)


def _failing(service: str) -> np.ndarray:
    """The share of requests that fail: a few always, more once the pool's wait limit is reached."""
    return 0.0005 + {"payment": 0.07, "checkout": 0.06, "web": 0.02}.get(service, 0.0) * _ramp(540, 300)


def _cpu(service: str, values: np.ndarray) -> np.ndarray:
    if service == "recommendation":
        times = START + STEP * np.arange(STEPS)
        begin = seconds_of(BATCH_STARTS) or 0.0
        return np.where((times >= begin) & (times < begin + 1800), 0.94 + 0.1 * (values - 0.32), values)
    return values * (1 - 0.4 * _ramp(240, 300)) if service in ("payment", "payment-db") else values


def _versions(service: str, old: str, new: str, at: str) -> Iterator[Series]:
    times = START + 300 * np.arange(STEPS // 10)
    is_new = times >= (seconds_of(at) or 0.0)
    for version, there in ((old, ~is_new), (new, is_new)):
        yield Series(service, "version", version, START, 300.0, np.where(there, 1.0, np.nan))


def _start_times(service: str, at: str) -> Series:
    times, started = START + 300 * np.arange(STEPS // 10), seconds_of(at) or 0.0
    earlier = started - 9 * 86400
    return Series(service, "restarts", "start_time", START, 300.0, np.where(times >= started, started, earlier))


# Logs.


def logs(random_: random.Random) -> list[dict[str, str]]:
    """A few quiet lines before, and what payment and checkout write once the pool is full."""
    deployed = seconds_of(PAYMENT_DEPLOY) or 0.0
    lines = [
        (START + 300 * n + random_.randrange(60), "payment", "info", "charged card in 1 attempt") for n in range(24)
    ]
    lines += [(deployed, "payment", "info", "payment 5.3.0 starts, pool of 20 connections")]
    for n in range(60):
        at = deployed + 330 + 15 * n + random_.randrange(15)
        lines.append((at, "payment", "error", "timed out waiting for a connection from the pool after 5000 ms"))
        if n % 3 == 0:
            lines.append((at + 1, "checkout", "warning", "payment did not answer within 5 s, trying once more"))
    return [{"time": iso(at), "service": s, "level": level, "message": text} for at, s, level, text in sorted(lines)]


def _lines(rows: list[dict[str, str]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


if __name__ == "__main__":
    main()
