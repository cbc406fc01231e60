"""A wrong row count, width or value of an embedder must not shift vectors to other texts: the attempt fails."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from documents.embedding import current_embedder, use
from documents.errors import DocumentError
from documents.models import Chunk, Document, IndexTask, KnowledgeBase, VectorCache
from jobs.models import Job
from jobs.testing import run_until_idle
from tests.documents.factories import WatchedEmbedder, add

Spoil = Callable[[np.ndarray], np.ndarray]


def with_nan(vectors: np.ndarray) -> np.ndarray:
    vectors[-1, 0] = np.nan
    return vectors


SPOILED: dict[str, Spoil] = {
    "a row short": lambda vectors: vectors[:-1],
    "a row too many": lambda vectors: np.vstack([vectors, vectors[:1]]),
    "too narrow": lambda vectors: vectors[:, :-1],
    "not a number": with_nan,
    "all zero": lambda vectors: vectors * 0,
}


class Spoiled(WatchedEmbedder):
    def __init__(self, spoil: Spoil) -> None:
        super().__init__()
        self._spoil = spoil

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        return self._spoil(super().embed_documents(texts))


@pytest.mark.django_db
@pytest.mark.parametrize("how", SPOILED)
def test_the_attempt_fails(base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    monkeypatch.setattr("documents.indexing.current_embedder", lambda: Spoiled(SPOILED[how]))
    add(base)
    run_until_idle()
    assert not Chunk.objects.exists() and not VectorCache.objects.exists()
    assert Job.objects.get().status == "queued" and IndexTask.objects.get().error_code == "embedder_failed"
    assert Document.objects.get().active_version is None


def test_the_embedder_is_the_one_we_know_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(use, "_GOLDEN_VECTOR", (0.5,) * 8)
    with pytest.raises(DocumentError, match="known vectors"):
        use.UseEmbedder().embed_query("redis")


def test_one_text_has_one_vector_whatever_it_is_embedded_with() -> None:
    embedder = current_embedder()
    texts = ["Restart the pod.", "", "长" * 4_000, "连接数打满"]
    together = embedder.embed_documents(texts)
    alone = np.stack([embedder.embed_query(text) for text in texts])
    assert together.shape == (4, 512) and np.allclose(together, alone, atol=1e-5)
