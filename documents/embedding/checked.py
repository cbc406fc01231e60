"""The strict check of what an embedder returns: one bad row must not shift vectors to other texts."""

from collections.abc import Sequence

import numpy as np

from documents.embedding.protocol import Embedder, Vectors
from documents.errors import EMBEDDER_FAILED, DocumentError


def embed(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """Unit vectors as float32, shape (len(texts), dims).

    Raises ``DocumentError`` (``embedder_failed``) for a wrong row count, a wrong width or a value that is not finite.
    """
    return _checked(embedder, np.asarray(embedder.embed_documents(texts), dtype=np.float32), rows=len(texts))


def embed_one(embedder: Embedder, query: str) -> Vectors:
    """The unit vector of a query, shape (dims,). Raises as ``embed``."""
    vectors: Vectors = _checked(embedder, np.atleast_2d(np.asarray(embedder.embed_query(query), np.float32)), rows=1)[0]
    return vectors


def _checked(embedder: Embedder, vectors: Vectors, *, rows: int) -> Vectors:
    if vectors.shape != (rows, embedder.dims):
        raise _failed(embedder, f"returned the shape {vectors.shape} where {(rows, embedder.dims)} was due")
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(vectors).all() or not (norms > 0).all():
        raise _failed(embedder, "returned a vector that is not finite or is zero")
    unit: Vectors = vectors / norms
    return unit


def _failed(embedder: Embedder, what: str) -> DocumentError:
    return DocumentError(EMBEDDER_FAILED, f"The embedder {embedder.name} {what}. Nothing of it was stored.")
