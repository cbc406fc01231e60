"""The calls for documents: upload, list, read, delete, the original file, the chunks."""

from typing import Any

import django_filters
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.http import HttpResponse
from django.utils.http import content_disposition_header
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.generics import GenericAPIView, ListAPIView
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from documents.api.finding import base_in_scope, document_in_scope, documents_of, refusals
from documents.api.serializers import ChunkSerializer, DocumentSerializer, UploadedSerializer, UploadSerializer
from documents.errors import BadDocument
from documents.models import Chunk, Document, DocumentContent, KnowledgeBase
from documents.states import DOCUMENT_STATUSES
from documents.transitions import delete_document
from documents.uploads import BadFileName, Uploaded, upload
from oncall.api.errors import Forbidden, PayloadTooLarge, invalid
from oncall.api.filters import CamelFilterSet
from oncall.api.schema import errors


class DocumentFilters(CamelFilterSet):
    status = django_filters.ChoiceFilter(choices=[(name, name) for name in DOCUMENT_STATUSES])
    file_name = django_filters.CharFilter()


class DocumentsView(ListAPIView):
    """The documents of a base, newest first."""

    queryset = Document.objects.none()  # For the schema.
    serializer_class = DocumentSerializer
    filterset_class = DocumentFilters
    parser_classes = [MultiPartParser]

    def get_queryset(self) -> QuerySet[Document]:
        return documents_of(base_in_scope(self.request, self.kwargs["base_id"]).pk)

    @extend_schema(request=UploadSerializer, responses={201: UploadedSerializer, **errors(409, 413)})
    def post(self, request: Request, base_id: str) -> Response:
        """Upload a file and have it indexed: document, task and job are made together or not at all."""
        base = base_in_scope(request, base_id, steer=True)
        if len(request.FILES.getlist("file")) > 1:
            raise invalid("file", "Send one file at a time.")
        form = UploadSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        found = _taken_in(base, **form.validated_data)
        body = {"document": found.document, "index_task": found.task, "background_job": found.job}
        return Response(UploadedSerializer(body).data, status=status.HTTP_201_CREATED)


def _taken_in(base: KnowledgeBase, *, file: UploadedFile, **options: Any) -> Uploaded:
    if (file.size or 0) > settings.MAX_UPLOAD_BYTES:
        raise PayloadTooLarge("The file is larger than 50 MB.")
    try:
        with refusals():
            return upload(base, file_name=file.name or "", data=file.read(), **options)
    except (BadDocument, BadFileName) as bad:
        raise invalid("file", str(bad)) from None


class DocumentView(GenericAPIView):
    """One document of a base."""

    serializer_class = DocumentSerializer

    def get(self, request: Request, base_id: str, document_id: str) -> Response:
        return Response(DocumentSerializer(document_in_scope(request, base_id, document_id)).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, base_id: str, document_id: str) -> Response:
        """Remove the document, its index and its bytes; an index job of it is cancelled. No later search finds it."""
        delete_document(document_in_scope(request, base_id, document_id, steer=True).pk)
        return Response(status=status.HTTP_204_NO_CONTENT)


class DocumentContentView(GenericAPIView):
    """The file as it was uploaded last."""

    serializer_class = DocumentSerializer

    @extend_schema(responses={(200, "application/octet-stream"): OpenApiTypes.BINARY})
    def get(self, request: Request, base_id: str, document_id: str) -> HttpResponse:
        document = document_in_scope(request, base_id, document_id)
        content = DocumentContent.objects.filter(document_id=document.pk).first()
        if content is None:  # Deleted since.
            raise Forbidden
        # A stranger's file is never shown as a page of ours: no type that a browser renders, no sniffing, no scripts.
        answer = HttpResponse(bytes(content.data), content_type="application/octet-stream")
        answer["Content-Disposition"] = content_disposition_header(True, document.file_name) or "attachment"
        answer["X-Content-Type-Options"] = "nosniff"
        answer["Content-Security-Policy"] = "sandbox; default-src 'none'"
        return answer


class ChunksView(ListAPIView):
    """The chunks of the index that serves now, in the order of the text."""

    queryset = Chunk.objects.none()  # For the schema.
    serializer_class = ChunkSerializer
    ordering = ("ordinal",)

    def get_queryset(self) -> QuerySet[Chunk]:
        document = document_in_scope(self.request, self.kwargs["base_id"], self.kwargs["document_id"])
        return Chunk.objects.filter(document_id=document.pk, version=document.active_version or 0).defer("vector")
