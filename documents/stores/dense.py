"""The exact scan over the matrices of a scope."""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from documents.embedding.protocol import Vectors
from documents.scope import SearchScope
from documents.stores.matrix import Matrix, MatrixCache
from documents.stores.protocol import Ranking


def nearest(cache: MatrixCache, scope: SearchScope, vector: Vectors, *, embedder: str, limit: int) -> Ranking:
    """The ``limit`` chunks of the highest cosine. Documents that are not wanted are left out before the cut."""
    best: list[tuple[float, int]] = []
    for matrix in _matrices(cache, scope, embedder=embedder):
        rows = _wanted_rows(matrix, scope)
        scores = matrix.vectors[rows] @ vector if rows is not None else matrix.vectors @ vector
        ids = matrix.chunk_ids[rows] if rows is not None else matrix.chunk_ids
        best += [(float(scores[place]), int(ids[place])) for place in _highest(scores, limit)]
    best.sort(key=lambda pair: (-pair[0], pair[1]))
    return {chunk_id: score for score, chunk_id in best[:limit]}


def similarities(
    cache: MatrixCache, scope: SearchScope, vector: Vectors, *, embedder: str, chunk_ids: Collection[int]
) -> Ranking:
    found: Ranking = {}
    wanted = np.array(sorted(chunk_ids), np.int64)
    for matrix in _matrices(cache, scope, embedder=embedder):
        # Chunk ids ascend in a matrix, so that a row is found by bisection.
        rows = np.searchsorted(matrix.chunk_ids, wanted)
        rows = rows[rows < len(matrix.chunk_ids)]
        rows = rows[np.isin(matrix.chunk_ids[rows], wanted)]
        scores = matrix.vectors[rows] @ vector
        found |= {int(matrix.chunk_ids[row]): float(score) for row, score in zip(rows, scores, strict=True)}
    return found


def _highest(scores: Vectors, limit: int) -> NDArray[np.int64]:
    """The places of the ``limit`` highest scores, in no order."""
    if len(scores) <= limit:
        return np.arange(len(scores))
    return np.argpartition(-scores, limit - 1)[:limit]


def _matrices(cache: MatrixCache, scope: SearchScope, *, embedder: str) -> list[Matrix]:
    found = (cache.get(base_id, embedder=embedder) for base_id in scope.base_ids)
    return [matrix for matrix in found if matrix is not None and len(matrix.chunk_ids)]


def _wanted_rows(matrix: Matrix, scope: SearchScope) -> NDArray[np.int64] | None:
    if scope.document_ids is None:
        return None
    wanted = [number for number, document_id in enumerate(matrix.document_ids) if document_id in scope.document_ids]
    return np.flatnonzero(np.isin(matrix.document_of, wanted))
