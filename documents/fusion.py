"""One score from two retrievers: a convex sum of normalised scores, which keeps what either is sure of.

Reciprocal rank fusion, the usual choice, forgets by how much BM25 prefers its first hit.
"""

from collections.abc import Mapping

from documents.tokens import cjk_share, code_share

# How much BM25 counts. For a query in Chinese the other side finds the English runbook too; of code (a PromQL
# expression) a sentence encoder understands next to nothing.
_WEIGHT, _WEIGHT_CJK, _WEIGHT_CODE = 0.7, 0.35, 0.9
_MOSTLY_CJK, _MOSTLY_CODE = 0.5, 0.08


def lexical_weight(query: str) -> float:
    if cjk_share(query) > _MOSTLY_CJK:
        return _WEIGHT_CJK
    return _WEIGHT_CODE if code_share(query) > _MOSTLY_CODE else _WEIGHT


def fuse(lexical: Mapping[int, float], cosine: Mapping[int, float], *, floor: float, weight: float) -> dict[int, float]:
    """``weight · bm25/max + (1 - weight) · scaled cosine`` for every chunk of either, 0 to 1.

    ``floor`` is the lowest cosine that still made the dense list: it scales to 0, the highest to 1.
    """
    highest = max(lexical.values(), default=0.0)
    span = max(cosine.values(), default=0.0) - floor
    above = {chunk_id: max(0.0, value - floor) if span > 0 else 1.0 for chunk_id, value in cosine.items()}
    return {
        chunk_id: weight * _share(lexical.get(chunk_id, 0.0), highest)
        + (1 - weight) * _share(above.get(chunk_id, 0.0), span if span > 0 else 1.0)
        for chunk_id in lexical.keys() | cosine.keys()
    }


def _share(value: float, whole: float) -> float:
    return value / whole if whole > 0 else 0.0
