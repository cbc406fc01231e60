"""Identity is (base, file name); the same bytes are kept once a base; new bytes of a name need ``overwrite``."""

import pytest

from documents.bases import create_base, default_base
from documents.conflicts import NameTaken, SameContent
from documents.models import Document, DocumentContent, IndexTask, KnowledgeBase
from documents.scope import scope_for
from documents.search import search
from jobs.models import Job
from jobs.testing import run_until_idle
from oncall.models import User
from tests.documents.factories import RUNBOOK, add, indexed

pytestmark = pytest.mark.django_db
OTHER = RUNBOOK.replace("CLIENT LIST", "CLIENT KILL")


@pytest.mark.parametrize("name", ["redis.md", "copy.md"])
@pytest.mark.parametrize("overwrite", [False, True])
def test_the_same_bytes_under_any_name_name_the_document(base: KnowledgeBase, name: str, overwrite: bool) -> None:
    first = add(base).document
    with pytest.raises(SameContent, match=first.pk):
        add(base, name, overwrite=overwrite)
    assert Document.objects.count() == 1 and Job.objects.count() == 1


def test_another_base_and_another_owner_may_hold_them_too(base: KnowledgeBase, bob: User) -> None:
    add(base)
    add(create_base(owner_id=base.owner_user_id, name="Second"))
    add(default_base(bob.pk))
    assert Document.objects.count() == 3


def test_other_bytes_of_a_name_are_refused_without_overwrite(base: KnowledgeBase) -> None:
    first = add(base).document
    with pytest.raises(NameTaken, match=first.pk):
        add(base, text=OTHER)
    assert bytes(DocumentContent.objects.get().data) == RUNBOOK.encode()


def test_with_overwrite_the_old_index_serves_until_the_flip(alice: User) -> None:
    document = indexed(alice)
    scope = scope_for([alice.pk])
    again = add(document.knowledge_base, text=OTHER, overwrite=True)
    assert again.document.pk == document.pk and again.document.content_version == 2
    assert again.document.status == "indexed"
    assert "CLIENT LIST" in " ".join(hit.chunk.text for hit in search(scope, "stop the client"))

    run_until_idle()
    found = " ".join(hit.chunk.text for hit in search(scope, "stop the client"))
    assert "CLIENT KILL" in found and "CLIENT LIST" not in found
    document.refresh_from_db()
    assert document.active_version == 2 and document.chunks.values("version").distinct().count() == 1


def test_bytes_that_came_back_are_a_new_content(base: KnowledgeBase) -> None:
    add(base)
    add(base, text=OTHER, overwrite=True)
    last = add(base, overwrite=True)
    run_until_idle()
    last.document.refresh_from_db()
    assert last.document.content_version == 3 and last.document.status == "indexed"
    assert sorted(IndexTask.objects.values_list("status", flat=True)) == ["cancelled", "cancelled", "succeeded"]
