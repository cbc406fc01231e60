"""The lexicon on SQLite: FTS5."""

from collections.abc import Collection, Iterable, Sequence

from django.db import connection

from documents.scope import SearchScope
from documents.stores.lexicon import HEADING_WEIGHT, Entry

_ADD = "INSERT INTO documents_lexicon (rowid, scope, heading, body) VALUES (%s, %s, %s, %s)"
_REMOVE = "DELETE FROM documents_lexicon WHERE rowid = %s"
_FREQUENCY = "SELECT term, doc FROM documents_lexicon_terms WHERE term = %s"
_RANKED = f"""
    SELECT rowid, bm25(documents_lexicon, 0.0, {HEADING_WEIGHT}, 1.0) AS score FROM documents_lexicon
    WHERE documents_lexicon MATCH %s ORDER BY score LIMIT %s
"""


class SqliteLexicon:
    def add(self, entries: Sequence[Entry]) -> None:
        rows = [
            (key, f"{base} {document}", " ".join(head), " ".join(body)) for key, base, document, head, body in entries
        ]
        with connection.cursor() as cursor:
            cursor.executemany(_ADD, rows)

    def remove(self, chunk_ids: Sequence[int]) -> None:
        with connection.cursor() as cursor:
            cursor.executemany(_REMOVE, [(chunk_id,) for chunk_id in chunk_ids])

    def frequencies(self, terms: Collection[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        with connection.cursor() as cursor:
            for term in terms:
                cursor.execute(_FREQUENCY, [term])
                found |= dict(cursor.fetchall())
        return found

    def ranked(self, scope: SearchScope, terms: Sequence[str], *, limit: int) -> list[tuple[int, float]]:
        with connection.cursor() as cursor:
            cursor.execute(_RANKED, [_match(scope, terms), limit])
            # FTS5 counts downwards: the best is the most negative.
            return [(chunk_id, -score) for chunk_id, score in cursor.fetchall()]


def _match(scope: SearchScope, terms: Sequence[str]) -> str:
    """The FTS5 expression. Ids and tokens hold letters, digits and ``_`` only, and are quoted all the same."""
    where = scope.base_ids if scope.document_ids is None else sorted(scope.document_ids)
    return f"{{heading body}} : ({_any(terms)}) AND scope : ({_any(where)})"


def _any(words: Iterable[str]) -> str:
    return " OR ".join('"' + word.replace('"', "") + '"' for word in words)
