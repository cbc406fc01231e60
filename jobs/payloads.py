"""JSON that goes into a row: what is allowed, how large, and as which text."""

import json
from typing import Any

from jobs.masking import mask_json

MAX_JSON_BYTES = 256 * 1024


class InvalidJson(ValueError):
    """A payload, an event or a result that is no JSON, or too large; the text says which and why."""


def to_json(value: Any, *, what: str, mask: bool) -> str:
    """``value`` as JSON text of at most 256 KB. ``mask`` hides secrets: for what people read, not for a job's payload.

    Raises ``InvalidJson`` with a sentence about ``what``.
    """
    if value is None:
        return "null"
    try:
        text = json.dumps(mask_json(value) if mask else value, ensure_ascii=False, allow_nan=False)
        size = len(text.encode())
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidJson(f"The {what} is not JSON: {error}") from None
    if size > MAX_JSON_BYTES:
        raise InvalidJson(f"The {what} is {size} bytes of JSON; at most {MAX_JSON_BYTES} are stored.")
    if not mask and "\\u0000" in text and _has_nul(value):
        raise InvalidJson(f"The {what} holds a NUL character, which a database cannot store.")
    return text


def _has_nul(value: Any) -> bool:
    if isinstance(value, str):
        return "\x00" in value
    if isinstance(value, dict):
        return any(_has_nul(name) or _has_nul(inner) for name, inner in value.items())
    return isinstance(value, (list, tuple)) and any(_has_nul(inner) for inner in value)
