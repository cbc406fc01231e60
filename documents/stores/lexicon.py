"""Full-text search over our own tokens: one small class per database, the same scores from both.

BM25 as FTS5 computes it (k1 1.2, b 0.75), a hit in the headings counting ``HEADING_WEIGHT`` times. How rare a term is,
is counted over the whole table: that count is all that other owners' texts have a say in; no hit comes from them.
"""

from collections.abc import Collection, Sequence
from typing import Protocol

from documents.scope import SearchScope

HEADING_WEIGHT = 6.0
# What a query is cut to, rarest first: common words cost the most and say the least.
MAX_TERMS = 16

# chunk id, base id, document id, tokens of the headings, tokens of the text
Entry = tuple[int, str, str, list[str], list[str]]


class Lexicon(Protocol):
    def add(self, entries: Sequence[Entry]) -> None: ...

    def remove(self, chunk_ids: Sequence[int]) -> None: ...

    def frequencies(self, terms: Collection[str]) -> dict[str, int]:
        """In how many chunks each term occurs; terms of none are left out."""

    def ranked(self, scope: SearchScope, terms: Sequence[str], *, limit: int) -> list[tuple[int, float]]:
        """Chunk ids with their scores, best first; chunks of dead versions may be among them."""


def rarest(frequencies: dict[str, int], terms: Sequence[str]) -> list[str]:
    """The at most ``MAX_TERMS`` rarest of those terms that occur at all, in their order."""
    known = [term for term in terms if term in frequencies]
    kept = set(sorted(known, key=lambda term: frequencies[term])[:MAX_TERMS])
    return [term for term in known if term in kept]
