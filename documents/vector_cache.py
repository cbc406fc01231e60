"""Vectors that were computed before, by embedder and text: what a second attempt and a re-upload need not pay again."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from documents.embedding import Embedder, embed
from documents.models import VectorCache
from documents.stores.matrix import pack, unpack

KEPT = timedelta(days=30)
_SWEPT_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Embedded:
    """One vector per text, and the keys of those that were in the cache and of those that were computed now."""

    vectors: list[NDArray[np.float32]]
    reused: frozenset[str]
    computed: dict[str, NDArray[np.float32]]


def embed_with_cache(embedder: Embedder, texts: Sequence[str]) -> Embedded:
    """Vectors for ``texts``; only those that are not in the cache are computed. Writes nothing. Raises as ``embed``."""
    keys = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
    rows = VectorCache.objects.filter(embedder=embedder.fingerprint, content_hash__in=set(keys))
    known = {key: unpack([bytes(vector)])[0] for key, vector in rows.values_list("content_hash", "vector")}
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    computed = dict(zip(missing, embed(embedder, list(missing.values())), strict=True)) if missing else {}
    found = known | computed
    return Embedded([found[key] for key in keys], frozenset(known), computed)


def remember(embedder: Embedder, embedded: Embedded, *, now: datetime) -> None:
    """Keep what was computed, and note what was used again."""
    VectorCache.objects.filter(embedder=embedder.fingerprint, content_hash__in=embedded.reused).update(used_at=now)
    VectorCache.objects.bulk_create(
        [
            VectorCache(embedder=embedder.fingerprint, content_hash=key, vector=pack(vector), used_at=now)
            for key, vector in embedded.computed.items()
        ],
        ignore_conflicts=True,
    )


def sweep(*, now: datetime) -> None:
    """Forget some of what nobody used for 30 days."""
    old = VectorCache.objects.filter(used_at__lt=now - KEPT).values_list("pk", flat=True)[:_SWEPT_AT_ONCE]
    VectorCache.objects.filter(pk__in=list(old)).delete()
