"""The metric families: which way is harmful, in what unit, and from which difference on a change means anything."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Direction = Literal["up", "down", "both", "none"]
Symptom = Literal["latency", "error", "resource", "traffic", "none"]


@dataclass(frozen=True, slots=True)
class Family:
    """``harmful``: the way that hurts. A difference below ``floor`` units or ``floor_share`` of the median is noise.

    ``symptom``: the mechanism that it speaks for. ``per_request``: it is measured on requests, so it needs some."""

    name: str
    unit: str
    harmful: Direction
    floor: float
    floor_share: float
    symptom: Symptom
    per_request: bool = False


_ALL: Final = (
    Family("latency", "s", "up", 0.001, 0.05, "latency", per_request=True),
    Family("availability", "", "down", 0.005, 0.0, "error", per_request=True),
    Family("errors", "/s", "up", 0.05, 0.05, "error"),
    Family("traffic", "/s", "both", 0.2, 0.1, "traffic"),
    Family("cpu", "", "up", 0.05, 0.1, "resource"),
    Family("memory", "", "up", 0.05, 0.1, "resource"),
    Family("saturation", "", "up", 0.05, 0.05, "resource"),
    Family("network", "", "both", 0.0, 0.2, "resource"),
    Family("restarts", "", "none", 0.0, 0.0, "none"),
    Family("version", "", "none", 0.0, 0.0, "none"),
    Family("expression", "", "both", 0.0, 0.05, "none"),
)
FAMILIES: Final[Mapping[str, Family]] = {family.name: family for family in _ALL}

# What an alert is about, by the words that alert names use; the first match counts.
_WORDS: Final = (
    ("latency", ("latency", "slow", "duration", "p95", "p99", "responsetime", "response_time")),
    ("availability", ("availability", "available", "success", "slo", "down", "unreachable")),
    ("errors", ("error", "5xx", "fail")),
    ("saturation", ("pool", "queue", "backlog", "saturat", "disk", "full", "lag")),
    ("memory", ("memory", "oom")),
    ("cpu", ("cpu", "throttl", "load")),
    ("traffic", ("traffic", "requestrate", "throughput")),
    ("restarts", ("restart", "crashloop")),
)
# Probed first when an alert says nothing about itself: what users feel.
FELT: Final = ("latency", "availability", "errors")


def family_of(name: str) -> Family:
    """The family of that name; an unknown one is harmful both ways and speaks for no mechanism."""
    return FAMILIES.get(name, Family(name, "", "both", 0.0, 0.1, "none"))


def families_of_alert(*texts: str) -> list[str]:
    """The families that an alert's name or text speaks of, the clearest first; empty where it speaks of none."""
    joined = " ".join(texts).lower()
    return [family for family, words in _WORDS if any(word in joined for word in words)]
