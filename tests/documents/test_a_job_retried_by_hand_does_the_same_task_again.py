"""``:retry`` of the job reopens its task; where the task cannot be done again the retry is refused and says why."""

import pytest

from documents.conflicts import ActiveTask, TaskNotRetryable
from documents.models import Document, IndexTask, KnowledgeBase
from documents.transitions import delete_document
from documents.uploads import start_indexing
from jobs.enqueue import retry_by_hand
from jobs.models import Job
from jobs.resources import NotRetryable
from jobs.testing import run_until_idle
from jobs.transitions import request_cancel
from tests.documents.factories import RUNBOOK, Uploaded, add

pytestmark = pytest.mark.django_db


@pytest.fixture
def cancelled(base: KnowledgeBase) -> Uploaded:
    found = add(base)
    assert found.job
    request_cancel(found.job.pk)
    return found


def test_the_same_task_succeeds_under_the_new_job(cancelled: Uploaded) -> None:
    assert cancelled.job and cancelled.task
    successor = retry_by_hand(cancelled.job.pk)
    task = IndexTask.objects.get()
    assert (task.pk, task.status, task.job_id) == (cancelled.task.pk, "pending", successor.pk)
    run_until_idle()
    assert IndexTask.objects.get().status == "succeeded" and Document.objects.get().status == "indexed"
    assert Job.objects.get(pk=cancelled.job.pk).status == "cancelled"


def test_not_while_another_task_indexes_the_document(cancelled: Uploaded) -> None:
    assert cancelled.job
    start_indexing(cancelled.document.pk, owner_id=cancelled.job.owner_user_id or 0)
    with pytest.raises(NotRetryable, match="not finished"):
        retry_by_hand(cancelled.job.pk)


def test_not_when_the_bytes_were_replaced(cancelled: Uploaded, base: KnowledgeBase) -> None:
    assert cancelled.job
    add(base, text=RUNBOOK + "more", overwrite=True, index=False)
    with pytest.raises(NotRetryable, match="new content"):
        retry_by_hand(cancelled.job.pk)


def test_not_when_the_document_is_gone(cancelled: Uploaded) -> None:
    assert cancelled.job
    delete_document(cancelled.document.pk)
    with pytest.raises(NotRetryable, match="deleted"):
        retry_by_hand(cancelled.job.pk)
    assert Job.objects.count() == 1


def test_a_retry_of_the_task_is_a_new_task_once(cancelled: Uploaded) -> None:
    assert cancelled.task and cancelled.job
    owner = cancelled.job.owner_user_id or 0
    second, _ = start_indexing(cancelled.document.pk, owner_id=owner, retry_of=cancelled.task.pk)
    with pytest.raises(ActiveTask, match=second.pk):
        start_indexing(cancelled.document.pk, owner_id=owner)
    run_until_idle()
    with pytest.raises(TaskNotRetryable, match=second.pk):
        start_indexing(cancelled.document.pk, owner_id=owner, retry_of=cancelled.task.pk)
    with pytest.raises(TaskNotRetryable, match="succeeded"):
        start_indexing(cancelled.document.pk, owner_id=owner, retry_of=second.pk)
