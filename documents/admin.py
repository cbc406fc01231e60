"""Documents for operators: metadata of all owners, to read. No text of a document is shown here."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.defaultfilters import filesizeformat

from documents.models import Document, IndexTask, KnowledgeBase
from documents.states import SUCCEEDED
from jobs.admin.display import NOTHING, breakable, exactly, job_link, short_id, when, whole_id
from jobs.models import Job
from oncall.admin_site import ReadOnlyModelAdmin, ReadOnlyTabularInline, display, status_mark


class StatusCell:
    """What documents and their tasks have in common."""

    @display(description="Status", ordering="status")
    def state(self, row: Document | IndexTask) -> str:
        return status_mark(row.status)

    @display(description="Id")
    def full_id(self, row: Any) -> str:
        return whole_id(row.pk)

    @display(description="Content hash")
    def hash(self, row: Document | IndexTask) -> str:
        return whole_id(row.content_hash)

    @display(description="Created", ordering="created_at")
    def created(self, row: Any) -> str:
        return when(row.created_at)

    @display(description="Created")
    def created_exactly(self, row: Any) -> str:
        return exactly(row.created_at)

    @display(description="Changed")
    def updated_exactly(self, row: Any) -> str:
        return exactly(row.updated_at)


class TaskCells(StatusCell):
    @display(description="Id")
    def task(self, task: IndexTask) -> str:
        return short_id(task.pk)

    @display(description="Stage")
    def stage_now(self, task: IndexTask) -> str:
        """Where it is, or where it stopped; what succeeded is at no stage any more."""
        return NOTHING if task.status == SUCCEEDED else task.stage or NOTHING

    @display(description="Chunks")
    def chunks(self, task: IndexTask) -> str:
        return f"{task.chunks_done}/{task.chunks_total}"


class IndexTaskInline(TaskCells, ReadOnlyTabularInline):
    model = IndexTask
    fields = ["task", "state", "stage_now", "chunks", "index_version", "error_code", "created"]
    readonly_fields = fields
    ordering = ["-created_at", "-id"]
    show_change_link = True


@admin.register(KnowledgeBase)
class KnowledgeBaseAdmin(StatusCell, ReadOnlyModelAdmin):
    list_display = ["name", "owner", "is_default", "created"]
    list_filter = ["is_default"]
    list_select_related = ["owner_user"]
    search_fields = ["id", "name", "owner_user__username", "owner_user__first_name", "owner_user__last_name"]
    fields = ["full_id", "owner", "name", "description", "is_default", "index_sequence"]
    fields += ["created_exactly", "updated_exactly"]
    readonly_fields = ["full_id", "owner", "created_exactly", "updated_exactly"]

    @display(description="Owner", ordering="owner_user")
    def owner(self, base: KnowledgeBase) -> str:
        return breakable(str(base.owner_user))


@admin.register(Document)
class DocumentAdmin(StatusCell, ReadOnlyModelAdmin):
    list_display = ["name", "knowledge_base", "owner", "state", "error_code", "size", "created"]
    list_filter = ["status", "media_type"]
    list_select_related = ["knowledge_base__owner_user"]
    search_fields = ["id", "file_name", "content_hash"]
    inlines = [IndexTaskInline]
    fields = [
        "full_id",
        "knowledge_base",
        "owner",
        "name",
        "media_type",
        "size",
        "hash",
        "content_version",
        "chunking",
        "state",
        "active_version",
        "error_code",
        "error_message",
        "created_exactly",
        "updated_exactly",
        "indexed_exactly",
    ]
    readonly_fields = ["full_id", "owner", "name", "size", "hash", "state"]
    readonly_fields += ["created_exactly", "updated_exactly", "indexed_exactly"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Document]:
        # Title and metadata are words of the document.
        return super().get_queryset(request).defer("title", "metadata")

    @display(description="File name", ordering="file_name")
    def name(self, document: Document) -> str:
        return breakable(document.file_name)

    @display(description="Owner", ordering="knowledge_base__owner_user")
    def owner(self, document: Document) -> str:
        return breakable(str(document.knowledge_base.owner_user))

    @display(description="Size", ordering="size_bytes")
    def size(self, document: Document) -> str:
        return filesizeformat(document.size_bytes)

    @display(description="Indexed")
    def indexed_exactly(self, document: Document) -> str:
        return exactly(document.indexed_at)


@admin.register(IndexTask)
class IndexTaskAdmin(TaskCells, ReadOnlyModelAdmin):
    list_display = ["task", "document_name", "owner", "state", "stage_now", "chunks", "error_code", "created"]
    list_filter = ["status", "error_code"]
    list_select_related = ["document__knowledge_base__owner_user"]
    search_fields = ["id", "job_id", "document__id", "document__file_name"]
    fields = [
        "full_id",
        "document",
        "owner",
        "job",
        "state",
        "stage_now",
        "chunks",
        "index_version",
        "content_version",
        "hash",
        "retry_of_task_id",
        "error_code",
        "error_message",
        "created_exactly",
        "updated_exactly",
        "started_exactly",
        "completed_exactly",
    ]
    readonly_fields = ["full_id", "owner", "job", "state", "stage_now", "chunks", "hash"]
    readonly_fields += ["created_exactly", "updated_exactly", "started_exactly", "completed_exactly"]

    @display(description="Document", ordering="document__file_name")
    def document_name(self, task: IndexTask) -> str:
        return breakable(task.document.file_name)

    @display(description="Owner", ordering="document__knowledge_base__owner_user")
    def owner(self, task: IndexTask) -> str:
        return breakable(str(task.document.knowledge_base.owner_user))

    @display(description="Job")
    def job(self, task: IndexTask) -> str:
        """A link while there is one: jobs are pruned, the task's history stays."""
        return job_link(task.job_id) if Job.objects.filter(pk=task.job_id).exists() else whole_id(task.job_id)

    @display(description="Started")
    def started_exactly(self, task: IndexTask) -> str:
        return exactly(task.started_at)

    @display(description="Ended")
    def completed_exactly(self, task: IndexTask) -> str:
        return exactly(task.completed_at)
