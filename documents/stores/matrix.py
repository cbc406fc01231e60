"""The vectors of a base in memory, for the exact scan; valid for one number of the base's index sequence."""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from django.db.models import F
from numpy.typing import NDArray

from documents.models import Chunk, IndexVersion, KnowledgeBase

# About 250,000 chunks of 512 numbers. The base asked for last always stays, whatever its size.
MAX_BYTES = 512 * 1024 * 1024
_ROWS_A_FETCH = 2_000

Row = TypeVar("Row")


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
        self._kept: OrderedDict[tuple[str, str], Matrix] = OrderedDict()

    def get(self, base_id: str, *, embedder: str) -> Matrix | None:
        """The current matrix of a base, or None when the base is gone."""
        # The number before the rows: rows of a later flip under an older number are loaded again, never kept too long.
        found = KnowledgeBase.objects.filter(pk=base_id).values_list("index_sequence", flat=True).first()
        key = (base_id, embedder)
        with self._lock:
            kept = self._kept.get(key)
            if found is None:
                self._kept.pop(key, None)
                return None
            if kept is None or kept.sequence != found:
                kept = _load(base_id, embedder=embedder, sequence=found)
                self._kept[key] = kept
            self._kept.move_to_end(key)
            self._evict()
        return kept

    def _evict(self) -> None:
        while len(self._kept) > 1 and sum(matrix.vectors.nbytes for matrix in self._kept.values()) > MAX_BYTES:
            self._kept.popitem(last=False)


def _load(base_id: str, *, embedder: str, sequence: int) -> Matrix:
    chunk_ids: list[int] = []
    document_of: list[int] = []
    numbers: dict[str, int] = {}
    parts: list[NDArray[np.float32]] = []
    for rows in batched(_serving(base_id, embedder=embedder), _ROWS_A_FETCH):
        chunk_ids += [row[0] for row in rows]
        document_of += [numbers.setdefault(row[1], len(numbers)) for row in rows]
        parts.append(unpack([bytes(row[2]) for row in rows]))
    vectors = np.concatenate(parts) if parts else np.empty((0, 0), np.float32)
    return Matrix(sequence, vectors, np.array(chunk_ids, np.int64), np.array(document_of, np.int32), tuple(numbers))


def _serving(base_id: str, *, embedder: str) -> Iterator[tuple[int, str, Any]]:
    """``chunk id, document id, vector`` of each live chunk that this embedder made, in id order."""
    versions = IndexVersion.objects.filter(
        document__knowledge_base_id=base_id, version=F("document__active_version"), embedder=embedder
    )
    chunks = Chunk.objects.filter(document__active_version=F("version"), document_id__in=versions.values("document_id"))
    return chunks.order_by("pk").values_list("pk", "document_id", "vector").iterator(chunk_size=_ROWS_A_FETCH)


def batched(rows: Iterator[Row], size: int) -> Iterator[list[Row]]:
    """Lists of at most ``size`` rows (``itertools.batched`` came with Python 3.12)."""
    while batch := list(islice(rows, size)):
        yield batch


def pack(vector: NDArray[np.floating]) -> bytes:
    """A vector as it is stored: float16, little-endian."""
    return vector.astype("<f2").tobytes()


def unpack(rows: list[bytes]) -> NDArray[np.float32]:
    """Stored vectors of one width as float32, shape (len(rows), width)."""
    if not rows:
        return np.empty((0, 0), np.float32)
    return np.frombuffer(b"".join(rows), "<f2").reshape(len(rows), -1).astype(np.float32)
