"""What a store of chunks is. Writes run in the caller's transaction; searches return live chunks of the scope only."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from documents.embedding.protocol import Vectors
from documents.models import Document
from documents.scope import SearchScope

# Chunk primary key → score, best first.
Ranking = dict[int, float]


@dataclass(frozen=True, slots=True)
class NewChunk:
    """One chunk to be written; ``headings`` is what its heading column is searched by (title and heading path)."""

    ordinal: int
    heading_path: tuple[str, ...]
    headings: str
    line_start: int
    line_end: int
    start: int
    end: int
    text: str
    vector: Vectors


class ChunkStore(Protocol):
    def write(self, document: Document, *, version: int, chunks: Sequence[NewChunk]) -> None:
        """Add chunks of a version that does not serve yet. The same (document, version, ordinal) twice is an error."""

    def remove(self, document_ids: Collection[str], *, keep_version: int | None = None) -> None:
        """Remove all chunks of these documents but those of ``keep_version``."""

    def dense(self, scope: SearchScope, vector: Vectors, *, embedder: str, limit: int) -> Ranking:
        """The chunks nearest to a unit vector by cosine; exact."""

    def similarities(
        self, scope: SearchScope, vector: Vectors, *, embedder: str, chunk_ids: Collection[int]
    ) -> Ranking:
        """The cosine of just these chunks; those without a vector of this embedder are left out."""

    def lexical(self, scope: SearchScope, terms: Sequence[str], *, limit: int) -> Ranking:
        """The chunks with the highest BM25 for any of ``terms`` (of ``documents.tokens``)."""
