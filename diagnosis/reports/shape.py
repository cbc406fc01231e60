"""Whether JSON has a shape: the words of JSON Schema that ``schema`` uses, and a path to what does not fit."""

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from diagnosis.reports.schema import Schema
from diagnosis.reports.urls import is_web_url
from oncall.api.fields import is_storable

MAX_DEPTH = 64
_MOST = sys.float_info.max
_UTC = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?Z")

Fault = tuple[str, str]  # Where, and what is wrong there.


def faults(value: Any, schema: Schema, where: str = "report") -> Iterator[Fault]:
    """What does not fit, in the order of the document."""
    if "anyOf" in schema:
        yield from () if value is None else faults(value, schema["anyOf"][0], where)
    elif "const" in schema:
        if value != schema["const"] or isinstance(value, bool):
            yield where, f"must be {json.dumps(schema['const'])}"
    elif not _TYPES[schema["type"]](value):
        yield where, f"must be of type {schema['type']}"
    else:
        yield from _INSIDE.get(schema["type"], _nothing)(value, schema, where)


def plain_faults(value: Any, where: str = "report", depth: int = 0) -> Iterator[Fault]:
    """What no database stores and no JSON carries, in parts whose shape is free."""
    if depth > MAX_DEPTH:
        yield where, f"is nested more than {MAX_DEPTH} levels deep"
    elif isinstance(value, str):
        if not is_storable(value):
            yield where, "must not contain NUL characters or lone surrogates"
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from plain_faults(key, where, depth + 1) if isinstance(key, str) else [(where, "has a key not text")]
            yield from plain_faults(item, f"{where}.{key}", depth + 1)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from plain_faults(item, f"{where}[{number}]", depth + 1)
    elif not _is_scalar(value):
        yield where, "is no JSON"


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, bool) or _is_number(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -_MOST <= value <= _MOST


_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, Mapping),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": _is_number,
}


def _in_object(value: Mapping[str, Any], schema: Schema, where: str) -> Iterator[Fault]:
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield where, f"must have {name}"
    for name, item in value.items():
        if name in properties:
            yield from faults(item, properties[name], f"{where}.{name}")
        elif schema.get("additionalProperties") is False:
            yield where, f"must not have {name}"


def _in_array(value: list[Any], schema: Schema, where: str) -> Iterator[Fault]:
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        yield where, f"must not have {len(value)} items"
        return
    each = schema.get("prefixItems") or [schema["items"]] * len(value)
    for number, (item, shape) in enumerate(zip(value, each, strict=True)):
        yield from faults(item, shape, f"{where}[{number}]")


def _in_string(value: str, schema: Schema, where: str) -> Iterator[Fault]:
    if "enum" in schema and value not in schema["enum"]:
        yield where, f"must be one of {', '.join(schema['enum'])}"
    if "pattern" in schema and not re.fullmatch(schema["pattern"], value):
        yield where, f"must match {schema['pattern']}"
    if len(value) < schema.get("minLength", 0):
        yield where, "must not be empty"
    if schema.get("format") == "date-time" and not _is_time(value):
        yield where, "must be a time in UTC with Z"
    if schema.get("format") == "web-url" and value and not is_web_url(value):
        yield where, "must be an http or https address"


def _is_time(value: str) -> bool:
    try:
        return bool(_UTC.fullmatch(value) and value.isascii() and datetime.fromisoformat(value))
    except ValueError:
        return False


def _nothing(value: Any, schema: Schema, where: str) -> Iterator[Fault]:
    return iter(())


_INSIDE: Mapping[str, Callable[[Any, Schema, str], Iterator[Fault]]] = {
    "object": _in_object,
    "array": _in_array,
    "string": _in_string,
}
