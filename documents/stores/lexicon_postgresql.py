"""The lexicon on PostgreSQL: a tsvector of our tokens, weight A for headings, and BM25 computed in the query."""

import math
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from django.db import connection

from documents.scope import SearchScope
from documents.stores.lexicon import HEADING_WEIGHT, Entry

# The two scope tokens that FTS5 counts in a row's length, so that both databases score alike.
_SCOPE_TOKENS = 2
_MAX_POSITION = 16_383

_ADD = (
    "INSERT INTO documents_lexicon (rowid, base_id, document_id, length, tokens) VALUES (%s, %s, %s, %s, %s::tsvector)"
)
_REMOVE = "DELETE FROM documents_lexicon WHERE rowid = ANY(%s)"
_SIZE = "SELECT count(*), coalesce(avg(length), 0)::float8 FROM documents_lexicon"
_FREQUENCY = "SELECT count(*) FROM documents_lexicon WHERE tokens @@ %s::tsquery"
_RANKED = f"""
    SELECT found.rowid, sum(t.idf * f.tf * 2.2 / (f.tf + 1.2 * (0.25 + 0.75 * found.length / %(average)s))) AS score
    FROM documents_lexicon found
    CROSS JOIN LATERAL unnest(found.tokens) AS u (lexeme, positions, weights)
    JOIN unnest(%(terms)s::text[], %(idfs)s::float8[]) AS t (term, idf) ON t.term = u.lexeme
    CROSS JOIN LATERAL (
        SELECT sum(CASE w WHEN 'A' THEN {HEADING_WEIGHT} ELSE 1 END)::float8 AS tf FROM unnest(u.weights) AS w
    ) f
    WHERE found.tokens @@ %(query)s::tsquery AND found.base_id = ANY(%(bases)s)
        AND (%(documents)s::text[] IS NULL OR found.document_id = ANY(%(documents)s))
    GROUP BY found.rowid ORDER BY score DESC, found.rowid LIMIT %(limit)s
"""


class PostgresqlLexicon:
    def add(self, entries: Sequence[Entry]) -> None:
        rows = [
            (key, base, document, len(head) + len(body) + _SCOPE_TOKENS, _tsvector(head, body))
            for key, base, document, head, body in entries
        ]
        with connection.cursor() as cursor:
            cursor.executemany(_ADD, rows)

    def remove(self, chunk_ids: Sequence[int]) -> None:
        with connection.cursor() as cursor:
            cursor.execute(_REMOVE, [list(chunk_ids)])

    def frequencies(self, terms: Collection[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        with connection.cursor() as cursor:
            for term in terms:
                cursor.execute(_FREQUENCY, [_tsquery([term])])
                (count,) = cursor.fetchone()
                if count:
                    found[term] = count
        return found

    def ranked(self, scope: SearchScope, terms: Sequence[str], *, limit: int) -> list[tuple[int, float]]:
        frequencies = self.frequencies(terms)
        with connection.cursor() as cursor:
            cursor.execute(_SIZE)
            rows, average = cursor.fetchone()
            known = list(frequencies)
            values: dict[str, Any] = {
                "average": average or 1.0,
                "terms": known,
                "idfs": [_idf(rows, frequencies[term]) for term in known],
                "query": _tsquery(terms),
                "bases": list(scope.base_ids),
                "documents": None if scope.document_ids is None else sorted(scope.document_ids),
                "limit": limit,
            }
            cursor.execute(_RANKED, values)
            return [(chunk_id, float(score)) for chunk_id, score in cursor.fetchall()]


def _idf(rows: int, frequency: int) -> float:
    """As FTS5 has it: a term that occurs in more than half of all rows counts next to nothing."""
    return max(math.log((rows - frequency + 0.5) / (frequency + 0.5)), 1e-6)


def _tsvector(headings: Sequence[str], body: Sequence[str]) -> str:
    """The text form of a tsvector: ``'token':1A,7 …``. Tokens hold letters, digits and ``_`` only."""
    places: dict[str, list[str]] = {}
    for position, token in enumerate([*headings, *body], start=1):
        weight = "A" if position <= len(headings) else ""
        places.setdefault(token, []).append(f"{min(position, _MAX_POSITION)}{weight}")
    return " ".join(f"{_quoted(token)}:{','.join(where)}" for token, where in places.items())


def _tsquery(terms: Iterable[str]) -> str:
    return " | ".join(_quoted(term) for term in terms)


def _quoted(token: str) -> str:
    return "'" + token.replace("\\", "").replace("'", "") + "'"
