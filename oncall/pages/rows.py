"""The rows of the first page, each with what whoever looks may do to it."""

from collections.abc import Set
from dataclasses import dataclass
from typing import Any

from documents.models import Document, IndexTask
from documents.transitions import RESOURCE
from jobs.models import Job
from jobs.states import ACTIVE, CANCELLED, FAILED
from oncall.models import User
from oncall.owners import visible_owner_ids

DOCUMENTS_SHOWN = 50
JOBS_SHOWN = 10


@dataclass(frozen=True, slots=True)
class DocumentRow:
    document: Document
    deletable: bool


@dataclass(frozen=True, slots=True)
class JobRow:
    """``file_name`` is empty where the job works for no document; ``offer`` is ``cancel``, ``retry`` or nothing."""

    job: Job
    file_name: str
    offer: str


def state_for(user: User) -> dict[str, Any]:
    """What the page shows of documents and jobs, in as many queries for many rows as for one."""
    owners, steered = visible_owner_ids(user), visible_owner_ids(user, steer=True)
    documents = _documents(owners, steered)
    return {
        "documents": documents[:DOCUMENTS_SHOWN],
        "more_documents": len(documents) > DOCUMENTS_SHOWN,
        "jobs": _jobs(owners, steered),
        "watching": Job.objects.owned_by(owners).filter(status__in=sorted(ACTIVE)).exists(),
    }


def _documents(owners: Set[int], steered: Set[int]) -> list[DocumentRow]:
    newest = Document.objects.filter(knowledge_base__owner_user_id__in=owners).order_by("-created_at", "-pk")
    found = newest.select_related("knowledge_base__owner_user")[: DOCUMENTS_SHOWN + 1]
    return [DocumentRow(document, document.knowledge_base.owner_user_id in steered) for document in found]


def _jobs(owners: Set[int], steered: Set[int]) -> list[JobRow]:
    jobs = list(Job.objects.owned_by(owners).defer("payload", "result")[:JOBS_SHOWN])
    retried = set(
        Job.objects.filter(retry_of_job_id__in=[job.pk for job in jobs]).values_list("retry_of_job_id", flat=True)
    )
    task_ids = [job.resource_id for job in jobs if job.resource_type == RESOURCE]
    names = dict(IndexTask.objects.filter(pk__in=task_ids).values_list("pk", "document__file_name"))
    return [
        JobRow(
            job, names.get(job.resource_id, ""), _offer(job, retried=retried) if job.owner_user_id in steered else ""
        )
        for job in jobs
    ]


def _offer(job: Job, *, retried: Set[str | None]) -> str:
    """The verb that would still do something."""
    if job.status in ACTIVE:
        return "" if job.cancel_requested_at else "cancel"
    return "retry" if job.status in (FAILED, CANCELLED) and job.pk not in retried else ""
