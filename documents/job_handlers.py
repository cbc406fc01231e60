"""What ``documents`` gives the runtime: the kind ``document_index``, and how index tasks move with their jobs."""

from collections.abc import Iterable
from typing import Any

from documents.conflicts import DocumentConflict
from documents.indexing import index_document
from documents.models import Document, IndexTask
from documents.transitions import RESOURCE, follow_jobs, reopen_task
from documents.uploads import KIND
from jobs.handlers import JobContext, job_handler
from jobs.resources import NotRetryable, register_resource


@job_handler(KIND, max_attempts=3, timeout_seconds=900)
def document_index(context: JobContext) -> dict[str, Any]:
    """A plain function: it runs in a thread of the worker, since embedding would block the event loop."""
    return index_document(context)


def prepare_retry(task_id: str) -> str:
    """A job that is retried by hand does the same task again."""
    try:
        reopen_task(task_id)
    except DocumentConflict as conflict:
        raise NotRetryable(str(conflict)) from None
    except (IndexTask.DoesNotExist, Document.DoesNotExist):
        raise NotRetryable("The document of this job was deleted.") from None
    return task_id


def alive(task_ids: Iterable[str]) -> set[str]:
    return set(IndexTask.objects.filter(pk__in=list(task_ids)).values_list("pk", flat=True))


register_resource(RESOURCE, follow_jobs, prepare_retry, alive, model="documents.indextask")
