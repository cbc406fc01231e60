"""A tool's answer as bytes and back: what is stored of a call is exactly what the engine was given."""

import hashlib
import json
import math
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from diagnosis.engine.types import Series


def pack(rows: Sequence[Any]) -> bytes:
    """Rows (``Series`` or JSON) as compressed JSON; the same rows give the same bytes."""
    return zlib.compress(json.dumps([_to_json(row) for row in rows], ensure_ascii=False, allow_nan=False).encode(), 6)


def unpack(data: bytes) -> list[Any]:
    return [_from_json(row) for row in json.loads(zlib.decompress(data))]


def question_hash(tool: str, arguments: Mapping[str, Any]) -> str:
    """What makes two questions the same."""
    text = json.dumps([tool, arguments], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _to_json(row: Any) -> Any:
    if not isinstance(row, Series):
        return row
    values = [value if math.isfinite(value) else None for value in row.values.tolist()]
    return {
        "series": [row.node, row.family, row.name],
        "start": row.start,
        "step": row.step,
        "values": values,
    }


def _from_json(row: Any) -> Any:
    if not (isinstance(row, dict) and "series" in row):
        return row
    node, family, name = row["series"]
    values = np.array([math.nan if value is None else value for value in row["values"]], dtype=float)
    return Series(node=node, family=family, name=name, start=row["start"], step=row["step"], values=values)
