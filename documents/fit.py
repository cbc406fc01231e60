"""Whether what a search found is about what was asked, or only the nearest there is. It hides nothing.

A score cannot say that: it is scaled so that the best hit of every query has about the same.
"""

from collections.abc import Sequence

from documents.models import Chunk
from documents.search import Hit
from documents.tokens import query_terms, tokenize

# Measured on the labelled runbooks (docs/benchmarks.md): of 334 queries none is called weak beside all the
# runbooks, 3 with the right one alone in the base; of 40 questions about other things (cooking, sport) 34 are.
WEAK_COSINE = 0.24
# A hit with more than this share of the query's words fits, whatever its meaning is taken for.
ENOUGH_WORDS = 0.5


def nothing_fits(query: str, hits: Sequence[Hit]) -> bool:
    """Whether every hit is far in meaning and has few of the words; False where there is no hit at all."""
    terms = query_terms(query)
    return bool(hits) and all(_is_weak(hit, terms) for hit in hits)


def _is_weak(hit: Hit, terms: Sequence[str]) -> bool:
    if hit.cosine is None or hit.cosine >= WEAK_COSINE:
        return False
    words = set(tokenize(_text(hit.chunk)))
    return sum(term in words for term in terms) <= ENOUGH_WORDS * len(terms)


def _text(chunk: Chunk) -> str:
    document = chunk.document
    return " ".join([document.title, document.file_name, *chunk.heading_path, chunk.text])
