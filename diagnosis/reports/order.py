"""One order of keys, that of the schema: PostgreSQL forgets the order in which JSON came, and bytes must not differ."""

from collections.abc import Mapping
from typing import Any

from diagnosis.reports.schema import REPORT, Schema


def in_order(report: Mapping[str, Any]) -> dict[str, Any]:
    """``report`` with its keys in the order of the schema; keys of free parts (labels) in that of the alphabet."""
    ordered: dict[str, Any] = _in_order(report, REPORT)
    return ordered


def _in_order(value: Any, schema: Schema) -> Any:
    schema = schema["anyOf"][0] if "anyOf" in schema else schema
    if isinstance(value, Mapping):
        shapes = schema.get("properties", {})
        names = [name for name in shapes if name in value] + sorted(value.keys() - shapes.keys())
        return {name: _in_order(value[name], shapes.get(name, {})) for name in names}
    if isinstance(value, list):
        shape = schema.get("items") or {}
        return [_in_order(item, shape) for item in value]
    return value
