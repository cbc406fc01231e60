from django.urls import path

from documents.api.base_views import KnowledgeBasesView, KnowledgeBaseView
from documents.api.document_views import ChunksView, DocumentContentView, DocumentsView, DocumentView
from documents.api.search_views import SearchBaseView, SearchKnowledgeView
from documents.api.task_views import CancelIndexTaskView, IndexTasksView, IndexTaskView, RetryIndexTaskView

_BASE = "knowledge-bases/<str:base_id>"
_DOCUMENT = f"{_BASE}/documents/<str:document_id>"
_TASK = f"{_DOCUMENT}/index-tasks/<str:task_id>"

# A verb stands before the plain id, which would take it for a part of itself.
urlpatterns = [
    path("knowledge:search", SearchKnowledgeView.as_view(), name="knowledge-search"),
    path("knowledge-bases", KnowledgeBasesView.as_view(), name="knowledge-bases"),
    path(f"{_BASE}:search", SearchBaseView.as_view(), name="knowledge-base-search"),
    path(f"{_BASE}/documents", DocumentsView.as_view(), name="documents"),
    path(f"{_DOCUMENT}/content", DocumentContentView.as_view(), name="document-content"),
    path(f"{_DOCUMENT}/chunks", ChunksView.as_view(), name="document-chunks"),
    path(f"{_DOCUMENT}/index-tasks", IndexTasksView.as_view(), name="index-tasks"),
    path(f"{_TASK}:cancel", CancelIndexTaskView.as_view(), name="index-task-cancel"),
    path(f"{_TASK}:retry", RetryIndexTaskView.as_view(), name="index-task-retry"),
    path(_TASK, IndexTaskView.as_view(), name="index-task"),
    path(_DOCUMENT, DocumentView.as_view(), name="document"),
    path(_BASE, KnowledgeBaseView.as_view(), name="knowledge-base"),
]
