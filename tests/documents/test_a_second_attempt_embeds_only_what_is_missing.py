"""Vectors are kept by embedder and text as each batch is written: the next attempt pays for the rest alone."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from documents import vector_cache
from documents.indexing import BATCH_CHUNKS
from documents.models import Chunk, Document, KnowledgeBase, VectorCache
from jobs.testing import run_until_idle
from tests.documents.factories import WatchedEmbedder, add, long_text

pytestmark = pytest.mark.django_db


def test_a_failure_at_batch_three_of_four(base: KnowledgeBase, watch: Callable[..., WatchedEmbedder]) -> None:
    def fail_at_three(batch: int) -> None:
        if batch == 3:
            raise OSError("The embedder is away.")

    add(base, text=long_text(4 * BATCH_CHUNKS))
    first = watch(fail_at_three)
    run_until_idle()
    assert Document.objects.get().status == "pending" and first.texts == 2 * BATCH_CHUNKS
    second = watch()
    run_until_idle(now=timezone.now() + timedelta(minutes=1))
    assert Document.objects.get().status == "indexed"
    assert second.texts == 2 * BATCH_CHUNKS
    assert sorted(Chunk.objects.values_list("ordinal", flat=True)) == list(range(4 * BATCH_CHUNKS))


def test_an_edit_embeds_the_sections_that_changed(base: KnowledgeBase, watch: Callable[..., WatchedEmbedder]) -> None:
    text = long_text(20)
    add(base, text=text)
    run_until_idle()
    embedder = watch()
    add(base, text=text.replace("restart unit7.", "drain unit7."), overwrite=True)
    run_until_idle()
    assert embedder.texts == 1


def test_vectors_that_nobody_used_for_a_month_go(base: KnowledgeBase) -> None:
    add(base)
    run_until_idle()
    vector_cache.sweep(now=timezone.now() + timedelta(days=29))
    assert VectorCache.objects.count() == 2
    vector_cache.sweep(now=timezone.now() + timedelta(days=31))
    assert not VectorCache.objects.exists()
