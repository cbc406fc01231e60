"""Events of a stage are at most 16 KB each: long texts and long lists are cut, the report has them whole."""

import json
from collections.abc import Mapping
from typing import Any

MAX_BYTES = 16 * 1024
# Characters of a text and rows of a list, tried from the roomiest on.
_CUTS = ((500, 60), (300, 20), (120, 20), (60, 10), (30, 5))

Event = tuple[str, Mapping[str, Any]]


def event(type_: str, payload: Mapping[str, Any]) -> Event:
    """The event, cut as little as it takes to fit."""
    for characters, rows in _CUTS:
        small = _cut(payload, characters, rows)
        if len(json.dumps(small).encode()) <= MAX_BYTES:
            return type_, small
    return type_, {"cut": True}


def _cut(value: Any, characters: int, rows: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= characters else value[: characters - 1] + "…"
    if isinstance(value, Mapping):
        return {key: _cut(item, characters, rows) for key, item in value.items()}
    return [_cut(item, characters, rows) for item in value[:rows]] if isinstance(value, list | tuple) else value
