"""From a service of the catalogue to PromQL: its own templates first, then its presets."""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Final

from diagnosis.catalogue.presets import FAMILIES, PRESETS
from diagnosis.catalogue.selectors import matchers
from diagnosis.datasources.protocol import Queried

# Seconds: the least that ``$range`` looks back (two samples at a scrape every 30 s), and where samples are rarer.
LEAST_RANGE: Final = 60
SLOW_RANGE: Final = 300
_PLACEHOLDER: Final = re.compile(r"\$(?:selector|range)\b")


def families_of(service: Queried) -> list[str]:
    """The families that can be asked for, in the house's order; then families of the service's own."""
    known = {*service.templates, *(family for preset, _ in _presets(service) for family in PRESETS[preset])}
    return [*(family for family in FAMILIES if family in known), *sorted(known - set(FAMILIES))]


def range_for(step: float) -> int:
    """What ``$range`` is for a step: four of them, so that no sample falls between two points."""
    return max(LEAST_RANGE, math.ceil(4 * step))


def queries_for(service: Queried, family: str, *, seconds: int) -> list[str]:
    """One query for each place that knows the family, looking back ``seconds``; none where no place does."""
    return [_filled(template, selector, seconds=seconds) for template, selector in _templates(service, family)]


def _filled(template: str, selector: Mapping[str, str], *, seconds: int) -> str:
    """In one pass: a label value that reads ``$range`` stays as it is."""
    words = {"$selector": matchers(selector), "$range": f"{seconds}s"}
    return _PLACEHOLDER.sub(lambda match: words[match[0]], template)


def uses_range(service: Queried, family: str) -> bool:
    return any("$range" in template for template, _ in _templates(service, family))


def _templates(service: Queried, family: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    if own := service.templates.get(family):
        yield own, service.selector
        return
    for preset, selector in _presets(service):
        if family in PRESETS[preset]:
            yield PRESETS[preset][family], selector


def _presets(service: Queried) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The presets of the service, each with the selector that finds its series."""
    for entry in service.presets:
        name = entry if isinstance(entry, str) else entry["name"]
        selector = service.selector if isinstance(entry, str) else entry.get("selector", service.selector)
        if name in PRESETS:
            yield name, selector
