"""What an embedder is."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.floating[Any]]


class Embedder(Protocol):
    """Vectors of different fingerprints are never compared: the fingerprint names model, version and width."""

    name: str
    fingerprint: str
    dims: int

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """One unit vector per text: shape (len(texts), dims)."""

    def embed_query(self, text: str) -> Vectors:
        """One unit vector: shape (dims,)."""
