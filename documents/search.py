"""Hybrid search: what the API, the pages and the diagnosis call.

search(scope_for(visible_owner_ids(user)), "pod restarts again and again", limit=5)
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from documents.alert_names import alert_names
from documents.embedding import current_embedder, embed_one
from documents.excerpt import Excerpt, excerpt
from documents.fusion import fuse, lexical_weight
from documents.models import Chunk
from documents.scope import SearchScope, live_chunks
from documents.stores import current_store
from documents.stores.protocol import Ranking
from documents.tokens import query_terms

Mode = Literal["hybrid", "lexical", "dense"]
MODES: tuple[str, ...] = get_args(Mode)
MAX_QUERY_CHARACTERS = 10_000
MAX_LIMIT = 100
# How deep each retriever looks.
DEPTH = 200
# An exact name goes ahead of every other hit, whose score is at most 1.
_EXACT = 1.0
# A word that names something: an inner capital, a digit or an underscore (KubePodCrashLooping, TiKV_space, k8s).
_NAME = re.compile(r"\b(?=\w*[a-z0-9][A-Z]|\w*_|\w*\d)\w{3,}\b", re.ASCII)


class BadQuery(ValueError):
    """The search cannot be done as asked; ``field`` says what is wrong."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(f"{field}: {sentence}")
        self.field = field
        self.sentence = sentence


@dataclass(frozen=True, slots=True)
class Hit:
    """A live chunk of the scope. Ranks count from 1 and are None where that retriever did not have the chunk."""

    chunk: Chunk
    score: float
    lexical_rank: int | None
    dense_rank: int | None
    excerpt: Excerpt
    # How near the chunk is to the query by meaning, -1 to 1, whatever else was found; None where nobody looked.
    cosine: float | None = None


@dataclass(slots=True)
class Candidate:
    """A scored chunk, with the names that it goes by: title, file name, headings."""

    chunk_id: int
    score: float
    document_id: str
    ordinal: int
    names: set[str]


def search(
    scope: SearchScope, query: str, *, limit: int = 10, mode: Mode = "hybrid", one_per_document: bool = False
) -> list[Hit]:
    """The best chunks of ``scope`` for ``query``, best first; each hit's ``chunk`` comes with its document and base.

    ``one_per_document`` keeps only the best chunk of each document. A query without a letter or digit finds nothing.
    Raises ``BadQuery``.
    """
    _check(query, limit, mode)
    # Half a character is no text: neither the embedder nor a database takes it.
    query = query.encode("utf-8", "replace").decode()
    terms = query_terms(query)
    if not terms or not scope.base_ids:
        return []
    lexical = current_store().lexical(scope, terms, limit=DEPTH) if mode != "dense" else {}
    dense, cosine, scores = _fused(scope, query, lexical, mode=mode)
    ranked = _ranked(query, _candidates(scope, scores), one_per_document=one_per_document)[:limit]
    chunks = _chunks(scope, [found.chunk_id for found in ranked])
    rankings = _places(lexical), _places(dense), cosine
    return [_hit(chunks[found.chunk_id], found, rankings, terms) for found in ranked if found.chunk_id in chunks]


def _check(query: str, limit: int, mode: str) -> None:
    if not query.strip():
        raise BadQuery("query", "A search needs at least one word.")
    if len(query) > MAX_QUERY_CHARACTERS:
        raise BadQuery("query", f"A query has at most {MAX_QUERY_CHARACTERS} characters.")
    if not 1 <= limit <= MAX_LIMIT:
        raise BadQuery("limit", f"Must be from 1 to {MAX_LIMIT}.")
    if mode not in MODES:
        raise BadQuery("mode", f"Must be one of {', '.join(MODES)}.")


def _fused(
    scope: SearchScope, query: str, lexical: Ranking, *, mode: Mode
) -> tuple[Ranking, Ranking, dict[int, float]]:
    """The dense ranking, and of each chunk of either ranking the cosine and the score."""
    if mode == "lexical":
        return {}, {}, fuse(lexical, {}, floor=0.0, weight=1.0)
    store, embedder = current_store(), current_embedder()
    vector = embed_one(embedder, query)
    dense = store.dense(scope, vector, embedder=embedder.fingerprint, limit=DEPTH)
    missing = lexical.keys() - dense.keys()
    cosine = dense | store.similarities(scope, vector, embedder=embedder.fingerprint, chunk_ids=missing)
    floor = min(dense.values(), default=0.0)
    weight = lexical_weight(query) if mode == "hybrid" else 0.0
    return dense, cosine, fuse(lexical, cosine, floor=floor, weight=weight)


def _candidates(scope: SearchScope, scores: dict[int, float]) -> list[Candidate]:
    """What ranking needs of the scored chunks, by the scope once more: what went meanwhile drops out here."""
    columns = ("pk", "document_id", "ordinal", "heading_path")
    named = ("document__title", "document__file_name", "document__metadata")
    rows = live_chunks(scope).filter(pk__in=list(scores)).values_list(*columns, *named)
    return [
        Candidate(
            pk, scores[pk], document_id, ordinal, {*path, title, file_name.rpartition(".")[0], *alert_names(metadata)}
        )
        for pk, document_id, ordinal, path, title, file_name, metadata in rows
    ]


def _ranked(query: str, candidates: Iterable[Candidate], *, one_per_document: bool) -> list[Candidate]:
    wanted = {name.casefold() for name in _NAME.findall(query)} | {query.strip().casefold()}
    for found in candidates:
        if not wanted.isdisjoint(name.casefold() for name in found.names):
            found.score += _EXACT
    ranked = sorted(candidates, key=lambda found: (-found.score, found.document_id, found.ordinal))
    if not one_per_document:
        return ranked
    best: dict[str, Candidate] = {}
    for found in ranked:
        best.setdefault(found.document_id, found)
    return list(best.values())


def _chunks(scope: SearchScope, chunk_ids: Sequence[int]) -> dict[int, Chunk]:
    chunks = live_chunks(scope).filter(pk__in=chunk_ids).select_related("document__knowledge_base__owner_user")
    return {chunk.pk: chunk for chunk in chunks.defer("vector")}


def _places(ranking: Ranking) -> dict[int, int]:
    return {chunk_id: place for place, chunk_id in enumerate(ranking, start=1)}


def _hit(
    chunk: Chunk,
    found: Candidate,
    rankings: tuple[dict[int, int], dict[int, int], Ranking],
    terms: Sequence[str],
) -> Hit:
    lexical, dense, cosine = rankings
    ranks = lexical.get(chunk.pk), dense.get(chunk.pk)
    return Hit(chunk, round(found.score, 6), *ranks, excerpt(chunk.text, terms), cosine.get(chunk.pk))
