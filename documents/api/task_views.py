"""The calls for index tasks: responders of the owner start, cancel and retry them."""

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.generics import GenericAPIView, ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from documents.api.finding import document_in_scope, refusals, task_in_scope
from documents.api.serializers import IndexingSerializer, IndexTaskSerializer
from documents.models import Document, IndexTask
from documents.uploads import start_indexing
from jobs.models import Job
from jobs.transitions import request_cancel
from oncall.api.schema import errors


def _answer(task: IndexTask, job: Job | None) -> Response:
    body = {"index_task": task, "background_job": job}
    return Response(IndexingSerializer(body).data, status=status.HTTP_202_ACCEPTED)


def _started(document: Document, *, retry_of: str | None = None) -> Response:
    with refusals():
        return _answer(*start_indexing(document.pk, owner_id=document.knowledge_base.owner_user_id, retry_of=retry_of))


class IndexTasksView(ListAPIView):
    """The index tasks of a document, newest first."""

    queryset = IndexTask.objects.none()  # For the schema.
    serializer_class = IndexTaskSerializer

    def get_queryset(self) -> QuerySet[IndexTask]:
        document = document_in_scope(self.request, self.kwargs["base_id"], self.kwargs["document_id"])
        return IndexTask.objects.filter(document_id=document.pk)

    @extend_schema(request=None, responses={202: IndexingSerializer, **errors(409)})
    def post(self, request: Request, base_id: str, document_id: str) -> Response:
        """Index the document again. While a task of it is not finished: 409 naming that one."""
        return _started(document_in_scope(request, base_id, document_id, steer=True))


class IndexTaskView(GenericAPIView):
    """One index task."""

    serializer_class = IndexTaskSerializer

    def get(self, request: Request, base_id: str, document_id: str, task_id: str) -> Response:
        return Response(IndexTaskSerializer(task_in_scope(request, base_id, document_id, task_id)).data)


class CancelIndexTaskView(GenericAPIView):
    """Stop indexing: at once while the task waits, at the next safe point while it runs. A finished one stays so."""

    serializer_class = IndexingSerializer

    @extend_schema(request=None, responses={202: IndexingSerializer})
    def post(self, request: Request, base_id: str, document_id: str, task_id: str) -> Response:
        task = task_in_scope(request, base_id, document_id, task_id, steer=True)
        job = Job.objects.filter(pk=task.job_id).first()
        if job is not None:
            with refusals():
                job = request_cancel(job.pk)
                task.refresh_from_db()
        return _answer(task, job)


class RetryIndexTaskView(GenericAPIView):
    """Index again what failed or was cancelled, as a new task. A task has one successor."""

    serializer_class = IndexingSerializer

    @extend_schema(request=None, responses={202: IndexingSerializer, **errors(409)})
    def post(self, request: Request, base_id: str, document_id: str, task_id: str) -> Response:
        task = task_in_scope(request, base_id, document_id, task_id, steer=True)
        return _started(task.document, retry_of=task.pk)
