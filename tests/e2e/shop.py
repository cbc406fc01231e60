"""A shop of three services in a real Prometheus, up to now: payment's pool fills, and checkout turns slow."""

import math
from collections.abc import Callable
from typing import Any

from tests.daemons import Metric

STEP = 15.0
MINUTES = 150
SLOW_FOR = 12 * 60.0

SERVICES = {
    name: {
        "selector": {"service": name},
        "templates": {
            "latency": "max(max_over_time(shop_latency_seconds{$selector}[$range]))",
            "saturation": "max(max_over_time(shop_pool_used_ratio{$selector}[$range]))",
            "traffic": "sum(avg_over_time(shop_requests_per_second{$selector}[$range]))",
        },
    }
    for name in ("checkout", "payment", "search")
}
EDGES = [("checkout", "payment"), ("checkout", "search")]
RULES: dict[str, Any] = {
    "groups": [
        {
            "name": "shop",
            "rules": [
                {
                    "alert": "CheckoutLatencyHigh",
                    "expr": 'max_over_time(shop_latency_seconds{service="checkout"}[2m]) > 1',
                    "annotations": {"summary": "Checkout is slow."},
                }
            ],
        }
    ]
}


def metrics(now: float) -> list[Metric]:
    """What was recorded until ``now``; the trouble began twelve minutes before."""
    slow_from = now - SLOW_FOR

    def series(name: str, service: str, usual: float, worst: float, *, from_: float = slow_from) -> Metric:
        return Metric(name, {"service": service}, _samples(now, lambda at: worst if at >= from_ else usual, usual))

    return [
        series("shop_latency_seconds", "checkout", 0.2, 2.4),
        series("shop_latency_seconds", "payment", 0.1, 2.1, from_=slow_from - 30),
        series("shop_latency_seconds", "search", 0.05, 0.05),
        series("shop_pool_used_ratio", "payment", 0.4, 1.0, from_=slow_from - 60),
        series("shop_requests_per_second", "checkout", 40, 40),
        series("shop_requests_per_second", "payment", 38, 38),
    ]


def _samples(now: float, level: Callable[[float], float], usual: float) -> list[tuple[float, float]]:
    times = [now - STEP * number for number in range(int(MINUTES * 60 / STEP), -1, -1)]
    return [(at, level(at) + usual * 0.02 * math.sin(at / 37)) for at in times]
