"""Documents for operators: metadata of all owners, to read. No text of a document is shown here."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from documents.models import Document, IndexTask, KnowledgeBase
from oncall.admin_site import ReadOnlyModelAdmin, ReadOnlyTabularInline


class IndexTaskInline(ReadOnlyTabularInline):
    model = IndexTask
    fields = ["id", "status", "stage", "chunks_done", "chunks_total", "index_version", "error_code", "created_at"]
    readonly_fields = fields
    ordering = ["-created_at", "-id"]
    show_change_link = True


@admin.register(KnowledgeBase)
class KnowledgeBaseAdmin(ReadOnlyModelAdmin):
    list_display = ["name", "owner_user", "is_default", "created_at"]
    list_filter = ["is_default"]
    list_select_related = ["owner_user"]
    search_fields = ["id", "name", "owner_user__username"]
    fields = ["id", "owner_user", "name", "description", "is_default", "index_sequence", "created_at", "updated_at"]


@admin.register(Document)
class DocumentAdmin(ReadOnlyModelAdmin):
    list_display = ["file_name", "knowledge_base", "owner", "status", "error_code", "size_bytes", "created_at"]
    list_filter = ["status", "media_type"]
    list_select_related = ["knowledge_base__owner_user"]
    search_fields = ["id", "file_name", "content_hash"]
    inlines = [IndexTaskInline]
    fields = [
        "id",
        "knowledge_base",
        "file_name",
        "media_type",
        "size_bytes",
        "content_hash",
        "content_version",
        "chunking",
        "status",
        "active_version",
        "error_code",
        "error_message",
        "created_at",
        "updated_at",
        "indexed_at",
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Document]:
        # Title and metadata are words of the document.
        return super().get_queryset(request).defer("title", "metadata")

    @admin.display(ordering="knowledge_base__owner_user")
    def owner(self, document: Document) -> str:
        return str(document.knowledge_base.owner_user)


@admin.register(IndexTask)
class IndexTaskAdmin(ReadOnlyModelAdmin):
    list_display = ["id", "document", "status", "stage", "chunks_done", "chunks_total", "error_code", "created_at"]
    list_filter = ["status", "error_code"]
    list_select_related = ["document"]
    search_fields = ["id", "job_id", "document__id", "document__file_name"]
    fields = [
        "id",
        "document",
        "job_id",
        "status",
        "stage",
        "chunks_done",
        "chunks_total",
        "index_version",
        "content_version",
        "content_hash",
        "retry_of_task_id",
        "error_code",
        "error_message",
        "created_at",
        "updated_at",
        "started_at",
        "completed_at",
    ]
