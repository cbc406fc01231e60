"""A task has its job's status word for word; a document keeps ``indexed`` while an index of it serves."""

from typing import Any

import pytest

from documents.errors import EMBEDDER_FAILED, DocumentError
from documents.models import Document, IndexTask, KnowledgeBase
from documents.uploads import start_indexing
from jobs import transitions
from jobs.claimed import ClaimedJob
from jobs.errors import Failure, failure_of
from jobs.models import Job
from jobs.testing import claim_one, run_until_idle
from oncall.models import User
from tests.documents.factories import add, indexed

pytestmark = pytest.mark.django_db


def statuses() -> tuple[str, str, str]:
    return (
        Document.objects.get().status,
        IndexTask.objects.latest("created_at").status,
        Job.objects.latest("created_at").status,
    )


def failed(job: ClaimedJob, *, again_in: float | None) -> Any:
    error = DocumentError(EMBEDDER_FAILED, "The embedder is away.")
    return transitions.fail(job, failure_of(error), again_in=again_in)


def test_the_first_index_of_a_document(base: KnowledgeBase) -> None:
    add(base)
    assert statuses() == ("pending", "pending", "queued")
    job = claim_one()
    assert statuses() == ("indexing", "running", "running")
    failed(job, again_in=0)
    assert statuses() == ("pending", "pending", "queued")
    assert IndexTask.objects.get().error_code == "embedder_failed"
    failed(claim_one(), again_in=None)
    assert statuses() == ("failed", "failed", "failed")
    document = Document.objects.get()
    assert (document.error_code, document.error_message) == ("embedder_failed", "The embedder is away.")


def test_a_document_whose_index_serves_stays_indexed(alice: User) -> None:
    document = indexed(alice)
    start_indexing(document.pk, owner_id=alice.pk)
    assert statuses() == ("indexed", "pending", "queued")
    job = claim_one()
    assert statuses() == ("indexing", "running", "running")
    failed(job, again_in=None)
    assert statuses() == ("indexed", "failed", "failed")


@pytest.mark.parametrize("serving", [False, True])
def test_cancel_of_a_waiting_job(alice: User, base: KnowledgeBase, serving: bool) -> None:
    if serving:
        start_indexing(indexed(alice).pk, owner_id=alice.pk)
    else:
        add(base)
    transitions.request_cancel(Job.objects.latest("created_at").pk)
    assert statuses() == ("indexed" if serving else "pending", "cancelled", "cancelled")


def test_release_and_acknowledged_cancel(base: KnowledgeBase) -> None:
    add(base)
    transitions.release(claim_one())
    assert statuses() == ("pending", "pending", "queued")
    job = claim_one()
    transitions.request_cancel(job.id)
    assert statuses() == ("indexing", "running", "running")
    transitions.acknowledge_cancel(job)
    assert statuses() == ("pending", "cancelled", "cancelled")


def test_a_lost_worker_and_a_timeout_have_a_code_and_a_sentence(base: KnowledgeBase) -> None:
    for message, code in {"Background job timed out.": "timed_out", "boom": "index_failed"}.items():
        add(base, text=f"# {code}", name=f"{code}.md")
        transitions.fail(claim_one(), Failure("Error", message), again_in=None)
        document = Document.objects.get(file_name=f"{code}.md")
        assert document.error_code == code and document.error_message


def test_text_without_words_is_no_text_and_is_not_retried(base: KnowledgeBase) -> None:
    add(base, "blank.md", "\n \n---\ntitle: x\n---\n"[0:3])
    assert run_until_idle() == 1
    document, job = Document.objects.get(), Job.objects.get()
    assert (document.status, document.error_code) == ("no_text", "no_text")
    assert (job.status, job.attempt) == ("failed", 1)
