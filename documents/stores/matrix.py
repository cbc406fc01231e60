"""The vectors of a base in memory, for the exact scan; valid for one number of the base's index sequence."""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from django.db.models import F
from numpy.typing import NDArray

from documents.models import Chunk, IndexVersion, KnowledgeBase

# About 250,000 chunks of 512 numbers. The base asked for last always stays, whatever its size.
MAX_BYTES = 512 * 1024 * 1024
_ROWS_A_FETCH = 1_000

Key = tuple[str, str]  # base, embedder


@dataclass(frozen=True, slots=True)
class Matrix:
    """Row i is the vector of chunk ``chunk_ids[i]``, of document ``document_ids[document_of[i]]``; float32."""

    sequence: int
    vectors: NDArray[np.float32]
    chunk_ids: NDArray[np.int64]
    document_of: NDArray[np.int32]
    document_ids: tuple[str, ...]


class MatrixCache:
    """Least recently used bases go first. A query reads the sequence number, so no flip or delete can be missed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[Key, Matrix] = OrderedDict()
        self._loading: dict[Key, threading.Lock] = {}

    def get(self, base_id: str, *, embedder: str) -> Matrix | None:
        """The current matrix of a base, or None when the base is gone."""
        # The number before the rows: rows of a later flip under an older number are loaded again, never kept too long.
        found = KnowledgeBase.objects.filter(pk=base_id).values_list("index_sequence", flat=True).first()
        key = (base_id, embedder)
        if found is None:
            self._forget(key)
            return None
        with self._lock:
            loading = self._loading.setdefault(key, threading.Lock())
        with loading:  # Several queries of one base wait for one load; those of other bases do not wait at all.
            kept = self._kept.get(key)
            if kept is None or kept.sequence != found:
                kept = _load(base_id, embedder=embedder, sequence=found, old=kept)
            self._keep(key, kept)
        return kept

    def _keep(self, key: Key, matrix: Matrix) -> None:
        with self._lock:
            self._kept[key] = matrix
            self._kept.move_to_end(key)
            while len(self._kept) > 1 and sum(kept.vectors.nbytes for kept in self._kept.values()) > MAX_BYTES:
                self._kept.popitem(last=False)

    def _forget(self, key: Key) -> None:
        with self._lock:
            self._kept.pop(key, None)
            self._loading.pop(key, None)


def _load(base_id: str, *, embedder: str, sequence: int, old: Matrix | None) -> Matrix:
    """The matrix as the tables have it now. A chunk's vector never changes, so rows of ``old`` are taken from there."""
    rows = list(_serving(base_id, embedder=embedder))
    numbers: dict[str, int] = {}
    document_of = np.array([numbers.setdefault(document_id, len(numbers)) for _, document_id in rows], np.int32)
    chunk_ids = np.array([chunk_id for chunk_id, _ in rows], np.int64)
    vectors = _reused(old, chunk_ids)
    new = np.flatnonzero(~np.isin(chunk_ids, old.chunk_ids)) if old is not None else np.arange(len(chunk_ids))
    for start in range(0, len(new), _ROWS_A_FETCH):
        rows_of_batch, found = _fetched(chunk_ids, new[start : start + _ROWS_A_FETCH])
        if vectors is None and len(rows_of_batch):
            vectors = np.zeros((len(chunk_ids), found.shape[1]), np.float32)
        if vectors is not None:
            vectors[rows_of_batch] = found
    if vectors is None:
        return Matrix(sequence, np.empty((0, 0), np.float32), chunk_ids[:0], document_of[:0], ())
    return Matrix(sequence, vectors, chunk_ids, document_of, tuple(numbers))


def _reused(old: Matrix | None, chunk_ids: NDArray[np.int64]) -> NDArray[np.float32] | None:
    """Room for the vectors of ``chunk_ids``, with those that ``old`` has; None when ``old`` has no vector at all."""
    if old is None or not len(old.chunk_ids):
        return None
    vectors = np.zeros((len(chunk_ids), old.vectors.shape[1]), np.float32)
    known = np.isin(chunk_ids, old.chunk_ids)
    vectors[known] = old.vectors[np.searchsorted(old.chunk_ids, chunk_ids[known])]
    return vectors


def _fetched(chunk_ids: NDArray[np.int64], rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Those of ``rows`` whose chunk is still there, and their vectors. A zero row of one that went does no harm: the
    query joins its hits to live chunks.
    """
    stored = dict(Chunk.objects.filter(pk__in=chunk_ids[rows].tolist()).values_list("pk", "vector"))
    there = np.array([row for row in rows if int(chunk_ids[row]) in stored], np.int64)
    return there, unpack([bytes(stored[int(chunk_ids[row])]) for row in there])


def _serving(base_id: str, *, embedder: str) -> Iterator[tuple[int, str]]:
    """``chunk id, document id`` of each live chunk that this embedder made, in id order."""
    versions = IndexVersion.objects.filter(
        document__knowledge_base_id=base_id, version=F("document__active_version"), embedder=embedder
    )
    chunks = Chunk.objects.filter(document__active_version=F("version"), document_id__in=versions.values("document_id"))
    return chunks.order_by("pk").values_list("pk", "document_id").iterator(chunk_size=_ROWS_A_FETCH)


def pack(vector: NDArray[np.floating]) -> bytes:
    """A vector as it is stored: float16, little-endian."""
    return vector.astype("<f2").tobytes()


def unpack(rows: list[bytes]) -> NDArray[np.float32]:
    """Stored vectors of one width as float32, shape (len(rows), width)."""
    if not rows:
        return np.empty((0, 0), np.float32)
    return np.frombuffer(b"".join(rows), "<f2").reshape(len(rows), -1).astype(np.float32)
