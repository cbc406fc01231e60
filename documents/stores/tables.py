"""The default store: Django's tables, float16 vectors in the chunk's row, full text beside it."""

from collections.abc import Collection, Sequence
from typing import Final

from django.db import connection
from django.db.models import Q

from documents.embedding.protocol import Vectors
from documents.models import Chunk, Document
from documents.scope import SearchScope, live_chunks
from documents.stores import dense
from documents.stores.lexicon import Lexicon, rarest
from documents.stores.lexicon_postgresql import PostgresqlLexicon
from documents.stores.lexicon_sqlite import SqliteLexicon
from documents.stores.matrix import MatrixCache, pack
from documents.stores.protocol import NewChunk, Ranking
from documents.tokens import tokenize

_LEXICONS: Final[dict[str, Lexicon]] = {"sqlite": SqliteLexicon(), "postgresql": PostgresqlLexicon()}
# Rows of one statement; PostgreSQL and SQLite both bound the parameters of one.
_ROWS_A_REMOVAL = 5_000


def lexicon() -> Lexicon:
    return _LEXICONS[connection.vendor]


class TableStore:
    def __init__(self) -> None:
        self._matrices = MatrixCache()

    def write(self, document: Document, *, version: int, chunks: Sequence[NewChunk]) -> None:
        rows = Chunk.objects.bulk_create([_row(document, version, chunk) for chunk in chunks])
        base_id = document.knowledge_base_id
        lexicon().add(
            [
                (row.pk, base_id, document.pk, tokenize(chunk.headings), tokenize(chunk.text))
                for row, chunk in zip(rows, chunks, strict=True)
            ]
        )

    def remove(self, document_ids: Collection[str], *, keep_version: int | None = None) -> None:
        chunks = Chunk.objects.filter(document_id__in=list(document_ids)).exclude(Q(version=keep_version))
        ids = list(chunks.order_by("pk").values_list("pk", flat=True))
        for start in range(0, len(ids), _ROWS_A_REMOVAL):
            some = ids[start : start + _ROWS_A_REMOVAL]
            lexicon().remove(some)
            Chunk.objects.filter(pk__in=some).delete()

    def dense(self, scope: SearchScope, vector: Vectors, *, embedder: str, limit: int) -> Ranking:
        return dense.nearest(self._matrices, scope, vector, embedder=embedder, limit=limit)

    def similarities(
        self, scope: SearchScope, vector: Vectors, *, embedder: str, chunk_ids: Collection[int]
    ) -> Ranking:
        return dense.similarities(self._matrices, scope, vector, embedder=embedder, chunk_ids=chunk_ids)

    def lexical(self, scope: SearchScope, terms: Sequence[str], *, limit: int) -> Ranking:
        """Ranks first and leaves out the few of dead versions after; when that leaves too few, it reaches deeper."""
        kept = rarest(lexicon().frequencies(terms), terms)
        if not kept or not scope.base_ids or scope.document_ids == frozenset():
            return {}
        depth = limit + limit // 4
        while True:
            ranked = lexicon().ranked(scope, kept, limit=depth)
            live = set(
                live_chunks(scope).filter(pk__in=[chunk_id for chunk_id, _ in ranked]).values_list("pk", flat=True)
            )
            found = {chunk_id: score for chunk_id, score in ranked if chunk_id in live}
            if len(found) >= limit or len(ranked) < depth:
                return dict(list(found.items())[:limit])
            depth *= 4


def _row(document: Document, version: int, chunk: NewChunk) -> Chunk:
    return Chunk(
        document=document,
        version=version,
        ordinal=chunk.ordinal,
        heading_path=list(chunk.heading_path),
        line_start=chunk.line_start,
        line_end=chunk.line_end,
        start=chunk.start,
        end=chunk.end,
        text=chunk.text,
        vector=pack(chunk.vector),
    )
