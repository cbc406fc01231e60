"""Document, bytes, index task and job appear in one transaction; the job indexes the document, and search finds it."""

import pytest

from documents import uploads
from documents.models import Chunk, Document, DocumentContent, IndexTask, IndexVersion, KnowledgeBase
from documents.scope import scope_for
from documents.search import search
from jobs.models import Job
from jobs.testing import run_until_idle
from tests.documents.factories import RUNBOOK, add

pytestmark = pytest.mark.django_db


def test_the_four_rows_and_what_becomes_of_them(base: KnowledgeBase) -> None:
    found = add(base)
    assert found.task and found.job
    assert (found.document.status, found.task.status, found.job.status) == ("pending", "pending", "queued")
    assert found.task.job_id == found.job.pk and found.job.resource_id == found.task.pk
    assert found.job.owner_user_id == base.owner_user_id
    assert bytes(DocumentContent.objects.get(document=found.document).data) == RUNBOOK.encode()

    assert run_until_idle() == 1
    job, task, document = Job.objects.get(), IndexTask.objects.get(), Document.objects.get()
    assert (document.status, task.status, job.status) == ("indexed", "succeeded", "succeeded")
    assert job.result == {"documentId": document.pk, "indexVersion": 1, "chunks": 2} and job.progress == 1
    assert (task.chunks_done, task.chunks_total, document.active_version) == (2, 2, 1)
    assert document.title == "Redis connections exhausted"
    assert [event.type for event in job.events.all()] == ["read", "extract", "chunk", "embed", "flip"]


def test_chunks_are_slices_of_the_version_and_search_finds_them(base: KnowledgeBase) -> None:
    add(base)
    run_until_idle()
    text = IndexVersion.objects.get().text
    assert [text[chunk.start : chunk.end] for chunk in Chunk.objects.all()] == [c.text for c in Chunk.objects.all()]
    hits = search(scope_for([base.owner_user_id]), "too many redis clients")
    assert {tuple(hit.chunk.heading_path) for hit in hits} == {
        ("Redis connections exhausted", "Meaning"),
        ("Redis connections exhausted", "Mitigation"),
    }


def test_without_index_there_is_no_task_and_no_job(base: KnowledgeBase) -> None:
    found = add(base, index=False)
    assert (found.task, found.job, found.document.status) == (None, None, "pending")
    assert not Job.objects.exists() and not IndexTask.objects.exists()


def test_when_the_job_cannot_be_queued_nothing_is_stored(base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "KIND", "no_such_kind")
    with pytest.raises(ValueError, match="no_such_kind"):
        add(base)
    assert not Document.objects.exists() and not DocumentContent.objects.exists() and not IndexTask.objects.exists()
