"""The only writer of a document's and an index task's status, and of which version of an index serves.

Each is guarded UPDATEs in one ``atomic()`` block with the row count checked. Job rows are locked before rows of ours,
here as in ``jobs``; among ours the document's row is the lock for everything that belongs to it.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from django.db import transaction
from django.db.models import Case, F, Q, QuerySet, Value, When
from django.utils import timezone

from documents.conflicts import ActiveTask, BaseConflict, TaskNotRetryable
from documents.errors import NO_TEXT as NO_TEXT_CODE
from documents.errors import split_code
from documents.models import Document, IndexTask, KnowledgeBase
from documents.states import (
    CANCELLED,
    FAILED,
    INDEXED,
    INDEXING,
    NO_TEXT,
    PENDING,
    RUNNING,
    SUCCEEDED,
    TASK_ACTIVE,
    TASK_RETRYABLE,
    TASK_STATUS_OF_JOB,
)
from documents.stores import current_store
from jobs.enqueue import cancel_jobs
from jobs.handlers import JobCancelled
from jobs.resources import Change

RESOURCE = "document_index_task"
_ACTIVE = sorted(TASK_ACTIVE)


# --- Documents ------------------------------------------------------------------------------------------------------


def replace_content(document: Document, *, now: datetime | None = None, **values: Any) -> None:
    """Give a document new bytes (``content_hash``, ``size_bytes``, …); the index that serves goes on serving.

    What indexes the old bytes is stopped. Raises ``Document.DoesNotExist`` when the row changed or went meanwhile.
    """
    moment = now or timezone.now()
    with transaction.atomic():
        _stop_indexing([document.pk])
        same = Document.objects.filter(pk=document.pk, content_version=document.content_version)
        if not same.update(content_version=F("content_version") + 1, updated_at=moment, **values):
            raise Document.DoesNotExist
        _supersede(document.pk, moment)


def delete_document(document_id: str) -> None:
    """Remove a document with its index, tasks and bytes; the next query in any process cannot find it."""
    with transaction.atomic():
        _stop_indexing([document_id])
        document = Document.objects.select_for_update().filter(pk=document_id).first()
        if document is not None:
            _stop_indexing([document_id])  # A task made while the row was being waited for.
            _delete([document_id], base_id=document.knowledge_base_id)


def delete_base(base_id: str) -> None:
    """Remove a base with all that is in it. Raises ``BaseConflict`` for a default base."""
    with transaction.atomic():
        documents = Document.objects.filter(knowledge_base_id=base_id)
        _stop_indexing(documents.values_list("pk", flat=True))
        base = KnowledgeBase.objects.select_for_update().filter(pk=base_id).first()
        if base is None:
            return
        if base.is_default:
            raise BaseConflict("The default knowledge base cannot be deleted; its documents can.")
        ids = list(documents.select_for_update().order_by("pk").values_list("pk", flat=True))
        _stop_indexing(ids)
        _delete(ids, base_id=base_id)
        base.delete()


def _stop_indexing(document_ids: Iterable[str]) -> None:
    for some in _batches(document_ids):
        tasks = IndexTask.objects.filter(document_id__in=some, status__in=_ACTIVE)
        cancel_jobs(RESOURCE, list(tasks.values_list("pk", flat=True)))


def _delete(document_ids: Iterable[str], *, base_id: str) -> None:
    for some in _batches(document_ids):
        current_store().remove(some)
        Document.objects.filter(pk__in=some).delete()
    _raise_sequence(base_id)


def _batches(ids: Iterable[str]) -> Iterator[list[str]]:
    """Lists of at most 1,000: a statement takes only so many parameters."""
    rest = iter(ids)
    while batch := list(islice(rest, 1_000)):
        yield batch


def _raise_sequence(base_id: str) -> None:
    KnowledgeBase.objects.filter(pk=base_id).update(index_sequence=F("index_sequence") + 1)


# --- Index tasks ----------------------------------------------------------------------------------------------------


def create_task(document_id: str, *, retry_of: str | None = None, now: datetime | None = None) -> IndexTask:
    """A new pending task for the present content of a document; the caller enqueues its job in the same transaction.

    Raises ``Document.DoesNotExist``, ``ActiveTask``, and ``TaskNotRetryable`` for a source that cannot be retried.
    """
    moment = now or timezone.now()
    with transaction.atomic():
        document = _with_next_version(document_id, moment)
        if retry_of is not None:
            _refuse_unless_retryable(retry_of)
        return IndexTask.objects.create(
            document=document,
            index_version=document.last_version,
            content_version=document.content_version,
            content_hash=document.content_hash,
            retry_of_task_id=retry_of,
            created_at=moment,
            updated_at=moment,
        )


def reopen_task(task_id: str, *, now: datetime | None = None) -> None:
    """Make a failed or cancelled task pending again, for a new job of it.

    Raises ``IndexTask.DoesNotExist``, ``ActiveTask``, ``TaskNotRetryable``.
    """
    moment = now or timezone.now()
    with transaction.atomic():
        task = IndexTask.objects.get(pk=task_id)
        document = _with_next_version(task.document_id, moment)
        if task.content_version != document.content_version:
            raise TaskNotRetryable("The document has new content since; index that instead.")
        reopened = IndexTask.objects.filter(pk=task_id, status__in=sorted(TASK_RETRYABLE)).update(
            status=PENDING,
            index_version=document.last_version,
            stage="",
            chunks_done=0,
            chunks_total=0,
            error_code="",
            error_message="",
            started_at=None,
            completed_at=None,
            updated_at=moment,
        )
        if not reopened:
            raise TaskNotRetryable("Only a failed or cancelled index task can be retried.")


def _with_next_version(document_id: str, moment: datetime) -> Document:
    """The document, locked, with a version number handed out. Raises ``ActiveTask`` when it is being indexed."""
    if not Document.objects.filter(pk=document_id).update(last_version=F("last_version") + 1, updated_at=moment):
        raise Document.DoesNotExist
    active = IndexTask.objects.filter(document_id=document_id, status__in=_ACTIVE).first()
    if active is not None:
        raise ActiveTask(active.pk)
    return Document.objects.get(pk=document_id)


def _refuse_unless_retryable(task_id: str) -> None:
    source = IndexTask.objects.get(pk=task_id)
    if source.status not in TASK_RETRYABLE:
        raise TaskNotRetryable(f"Only a failed or cancelled index task can be retried; this one is {source.status}.")
    successor = IndexTask.objects.filter(retry_of_task_id=task_id).values_list("pk", flat=True).first()
    if successor is not None:
        raise TaskNotRetryable(f"This index task was retried already, as {successor}.")


def _supersede(document_id: str, moment: datetime) -> None:
    """Tasks of the old bytes are over at once: the attempt that still runs finds other bytes and cannot flip."""
    IndexTask.objects.filter(document_id=document_id, status__in=_ACTIVE).update(
        status=CANCELLED, completed_at=moment, updated_at=moment
    )


def note_work(task_id: str, *, now: datetime | None = None, **values: Any) -> None:
    """Say how far a running task is: ``stage``, ``chunks_done``, ``chunks_total``. Called under the job's fence."""
    IndexTask.objects.filter(pk=task_id, status=RUNNING).update(updated_at=now or timezone.now(), **values)


# --- The flip -------------------------------------------------------------------------------------------------------


def flip(task: IndexTask, *, now: datetime | None = None, **values: Any) -> None:
    """Let the task's version serve, and remove the others; part of the transaction in which the job succeeds.

    ``values`` are what extraction found (``title``, ``metadata``). Raises ``JobCancelled`` when the document is gone,
    has other bytes by now, or serves a newer version.
    """
    moment = now or timezone.now()
    same = Document.objects.filter(pk=task.document_id, content_version=task.content_version)
    values |= {"error_code": "", "error_message": "", "indexed_at": moment, "updated_at": moment}
    older = same.filter(Q(active_version=None) | Q(active_version__lt=task.index_version))
    flipped = older.update(active_version=task.index_version, **values)
    if not flipped:
        raise JobCancelled("The document was deleted or replaced while it was being indexed.")
    current_store().remove([task.document_id], keep_version=task.index_version)
    document = Document.objects.get(pk=task.document_id)
    document.versions.exclude(version=task.index_version).delete()
    _raise_sequence(document.knowledge_base_id)


# --- Following the job ----------------------------------------------------------------------------------------------


def follow_jobs(changes: Sequence[Change], now: datetime) -> None:
    """Move tasks and documents as their jobs moved: one UPDATE of each for all jobs that became the same."""
    _adopt([change for change in changes if change.from_status is None], now)
    groups: dict[tuple[str, str], list[str]] = {}
    for change in changes:
        status = TASK_STATUS_OF_JOB[change.to_status]
        groups.setdefault((status, change.error if status in (FAILED, PENDING) else ""), []).append(change.job_id)
    for (status, error), job_ids in groups.items():
        _follow(IndexTask.objects.filter(job_id__in=job_ids), status, error, now)


def _adopt(created: Sequence[Change], now: datetime) -> None:
    """Write the new job's id on its task: from then on the task listens to that job alone."""
    if created:
        whens = [When(pk=change.resource_id, then=Value(change.job_id)) for change in created]
        tasks = IndexTask.objects.filter(pk__in=[change.resource_id for change in created], status=PENDING)
        tasks.update(job_id=Case(*whens), updated_at=now)


def _follow(tasks: QuerySet[IndexTask], status: str, error: str, now: datetime) -> None:
    active = status in TASK_ACTIVE
    # A task whose bytes were replaced is cancelled ahead of its job, and takes the job's last word all the same.
    movable = tasks.filter(status__in=_ACTIVE if active else [*_ACTIVE, CANCELLED])
    values: dict[str, Any] = {"status": status, "updated_at": now, "completed_at": None if active else now}
    if status == RUNNING:
        values["started_at"] = now
    if status != CANCELLED:
        values["error_code"], values["error_message"] = split_code(error) if error else ("", "")
    newest = list(movable.filter(index_version=F("document__last_version")).values_list("document_id", flat=True))
    movable.update(**values)
    Document.objects.filter(pk__in=newest).update(updated_at=now, **_document_values(status, error))


def _document_values(status: str, error: str) -> dict[str, Any]:
    if status == RUNNING:
        return {"status": INDEXING}
    if status == SUCCEEDED:
        return {"status": INDEXED}
    code, sentence = split_code(error)
    fallback = PENDING if status != FAILED else (NO_TEXT if code == NO_TEXT_CODE else FAILED)
    serving = When(active_version__isnull=False, then=Value(INDEXED))
    values: dict[str, Any] = {"status": Case(serving, default=Value(fallback))}
    return values | {"error_code": code, "error_message": sentence} if status == FAILED else values
