"""Job, task and document tell one story, whether the cancel or the delete comes before or after the finish."""

from collections.abc import Callable
from typing import Any

import pytest

from documents import indexing
from documents.bases import create_base
from documents.models import Chunk, Document, DocumentContent, IndexTask, IndexVersion, KnowledgeBase
from documents.scope import scope_for
from documents.search import search
from documents.transitions import delete_base, delete_document
from documents.uploads import start_indexing
from jobs.models import Job
from jobs.testing import run_until_idle
from jobs.transitions import request_cancel
from oncall.models import User
from tests.documents.factories import RUNBOOK, add, indexed, long_text

pytestmark = pytest.mark.django_db


def nothing_left() -> bool:
    return not any(model.objects.exists() for model in (Document, DocumentContent, IndexTask, IndexVersion, Chunk))


def test_cancel_in_the_middle(base: KnowledgeBase, watch: Callable[..., object]) -> None:
    found = add(base, text=long_text())
    watch(lambda batch: request_cancel(found.job.pk) if batch == 2 else None)
    run_until_idle()
    assert Job.objects.get().status == "cancelled"
    assert IndexTask.objects.get().status == "cancelled"
    assert Document.objects.get().status == "pending"
    assert search(scope_for([base.owner_user_id]), "restart unit1") == []


def test_cancel_in_the_middle_of_a_second_index_keeps_the_first(alice: User, watch: Callable[..., object]) -> None:
    document = indexed(alice)
    again = add(document.knowledge_base, text=long_text(), overwrite=True)
    watch(lambda batch: request_cancel(again.job.pk) if batch == 2 else None)
    run_until_idle()
    document.refresh_from_db()
    assert (document.status, document.active_version) == ("indexed", 1)
    assert "CLIENT LIST" in search(scope_for([alice.pk]), "client list")[0].chunk.text


def test_cancel_after_the_finish_changes_nothing(alice: User) -> None:
    document = indexed(alice)
    before = Job.objects.values().get(), IndexTask.objects.values().get()
    request_cancel(Job.objects.get().pk)
    assert (Job.objects.values().get(), IndexTask.objects.values().get()) == before
    document.refresh_from_db()
    assert document.status == "indexed"


def test_delete_in_the_middle(base: KnowledgeBase, watch: Callable[..., object]) -> None:
    found = add(base, text=long_text())
    watch(lambda batch: delete_document(found.document.pk) if batch == 2 else None)
    run_until_idle()
    assert Job.objects.get().status == "cancelled"
    assert nothing_left()


def test_delete_after_the_last_batch_and_before_the_finish(
    base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = add(base)
    write = indexing._write_batches

    def write_then_delete(*args: Any) -> None:
        write(*args)
        delete_document(found.document.pk)

    monkeypatch.setattr(indexing, "_write_batches", write_then_delete)
    run_until_idle()
    assert Job.objects.get().status == "cancelled" and nothing_left()


def test_replaced_after_the_last_batch_and_before_the_finish(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    document = indexed(alice)
    start_indexing(document.pk, owner_id=alice.pk)
    flip = indexing.flip

    def replace_then_flip(*args: Any, **values: Any) -> None:
        # As if the other transaction had committed just before this one took the row, and its cancel was not seen.
        Document.objects.update(content_version=2)
        flip(*args, **values)

    monkeypatch.setattr(indexing, "flip", replace_then_flip)
    run_until_idle()
    assert Job.objects.latest("created_at").status == "cancelled"
    document.refresh_from_db()
    assert (document.status, document.active_version) == ("indexed", 1)


def test_delete_while_it_waits_and_after_the_finish(base: KnowledgeBase) -> None:
    waiting = add(base)
    delete_document(waiting.document.pk)
    assert run_until_idle() == 0 and Job.objects.get().status == "cancelled" and nothing_left()

    done = add(base)
    run_until_idle()
    delete_document(done.document.pk)
    assert Job.objects.get(pk=done.job.pk).status == "succeeded" and nothing_left()
    assert search(scope_for([base.owner_user_id]), "redis") == []


def test_deleting_a_base_stops_all_that_is_in_it(alice: User, watch: Callable[..., object]) -> None:
    base = create_base(owner_id=alice.pk, name="Doomed")
    add(base, "one.md", long_text())
    add(base, "two.md")
    kept = add(create_base(owner_id=alice.pk, name="Other"), "redis.md", RUNBOOK).document
    watch(lambda batch: delete_base(base.pk) if batch == 2 else None)
    run_until_idle()
    assert sorted(Job.objects.values_list("status", flat=True)) == ["cancelled", "cancelled", "succeeded"]
    assert list(Document.objects.values_list("pk", flat=True)) == [kept.pk]


def test_overwrite_in_the_middle_indexes_the_new_bytes_only(base: KnowledgeBase, watch: Callable[..., object]) -> None:
    first = add(base, text=long_text())
    watch(lambda batch: add(base, text=RUNBOOK, overwrite=True) if batch == 2 else None)
    run_until_idle()
    old, new = IndexTask.objects.order_by("index_version")
    assert (old.status, new.status) == ("cancelled", "succeeded")
    assert Job.objects.get(pk=first.job.pk).status == "cancelled"
    assert Document.objects.get().status == "indexed"
    assert set(Chunk.objects.values_list("version", flat=True)) == {new.index_version}
    assert IndexVersion.objects.count() == 1


def test_overwrite_without_index_in_the_middle_ends_the_old_job(
    base: KnowledgeBase, watch: Callable[..., object]
) -> None:
    add(base, text=long_text())
    watch(lambda batch: add(base, text=RUNBOOK, overwrite=True, index=False) if batch == 2 else None)
    run_until_idle()
    assert (Job.objects.get().status, IndexTask.objects.get().status) == ("cancelled", "cancelled")
    assert Document.objects.get().status == "pending"
