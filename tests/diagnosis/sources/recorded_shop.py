"""Two hours of a shop at one sample in 15 seconds, for backfilling: what a real Prometheus is asked about."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from diagnosis.engine.types import Window
from tests.daemons import Metric

START = 1_790_000_000.0
STEP = 15.0
POINTS = 481
WINDOW = Window(START, START + STEP * (POINTS - 1))

# Points at which something happens.
RESET = 240
DEPLOY = 300
ENDED = 360


@dataclass(frozen=True)
class Asked:
    """A service as a source needs it."""

    name: str
    selector: dict[str, str] = field(default_factory=dict)
    presets: list[Any] = field(default_factory=list)
    templates: dict[str, str] = field(default_factory=dict)


CHECKOUT = Asked("checkout", {"job": "checkout"}, ["red", "process"])


def series(name: str, value: Callable[[int], float], *, first: int = 0, last: int = POINTS, **labels: str) -> Metric:
    return Metric(name, labels, [(START + STEP * at, float(value(at))) for at in range(first, last)])


METRICS = [
    # Two requests a second; the process restarts at RESET and its counter begins at zero again.
    series(
        "http_request_duration_seconds_count",
        lambda at: 30 * (at if at < RESET else at - RESET),
        job="checkout",
        code="200",
    ),
    # Errors exist from DEPLOY on only, one in five seconds.
    series(
        "http_request_duration_seconds_count", lambda at: 3 * (at - DEPLOY), first=DEPLOY, job="checkout", code="500"
    ),
    *[
        series("http_request_duration_seconds_bucket", lambda at, share=share: share * 30 * at, job="checkout", le=le)
        for le, share in (("0.1", 0.5), ("1", 1.0), ("+Inf", 1.0))
    ],
    series("checkout_build_info", lambda at: 1, last=DEPLOY, job="checkout", version="1.0"),
    series("checkout_build_info", lambda at: 1, first=DEPLOY, job="checkout", version="1.1"),
    series(
        "process_start_time_seconds",
        lambda at: START - 1_000 if at < RESET else START + STEP * RESET,
        job="checkout",
        instance="a:80",
    ),
    series("process_resident_memory_bytes", lambda at: 1e8 + at, job="checkout", instance="a:80"),
    # A gauge with a gap in it, and one that ends.
    series("pool_used", lambda at: 3, last=100, job="gap"),
    series("pool_used", lambda at: 4, first=200, last=ENDED, job="gap"),
    series("odd", lambda at: float("nan") if at % 2 else float("inf"), job="odd"),
    # Scraped once in two minutes.
    Metric("rare_total", {"job": "rare"}, [(START + 120 * at, 120.0 * at) for at in range(61)]),
    *[series("many", lambda at: 1, last=4, job="many", number=str(number)) for number in range(2_100)],
]

RULES = {
    "groups": [
        {
            "name": "shop",
            "rules": [
                {"record": "CheckoutErrors", "expr": "vector(1)"},
                {"alert": "CheckoutErrors", "expr": "vector(1) > 0", "for": "90s", "labels": {"severity": "page"}},
                {"alert": "Fires", "expr": "vector(1)", "labels": {"service": "checkout"}},
            ],
        }
    ]
}
