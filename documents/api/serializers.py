"""What the calls of ``documents`` take and give."""

from typing import Any

from rest_framework import serializers

from documents.chunking_options import BadChunking, Chunking, read_chunking
from documents.models import Chunk, Document, IndexTask, KnowledgeBase
from documents.search import MAX_LIMIT, MAX_QUERY_CHARACTERS, MODES
from jobs.api.serializers import JobSerializer
from oncall.api.fields import CamelModelSerializer, CamelSerializer, is_storable


class StorableCharField(serializers.CharField):
    """Text that both databases can store; a number is no text."""

    default_error_messages = {"text": "Text must not contain NUL characters or lone surrogates."}

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        if not is_storable(data):
            self.fail("text")
        return super().to_internal_value(data)


class KnowledgeBaseSerializer(CamelModelSerializer):
    """A set of documents that are searched together."""

    name = StorableCharField(max_length=200)
    description = StorableCharField(max_length=2_000, allow_blank=True, required=False)
    owner_user_id = serializers.IntegerField(required=False, min_value=1, max_value=2**63 - 1)

    class Meta:
        model = KnowledgeBase
        fields = ["id", "owner_user_id", "name", "description", "is_default", "created_at", "updated_at"]
        read_only_fields = ["id", "is_default", "created_at", "updated_at"]


class KnowledgeBaseChangeSerializer(CamelSerializer):
    name = StorableCharField(max_length=200, required=False)
    description = StorableCharField(max_length=2_000, allow_blank=True, required=False)


class DocumentSerializer(CamelModelSerializer):
    """A file of a base. ``metadata`` is its front matter; ``status`` says how far its index is."""

    knowledge_base_id = serializers.CharField(read_only=True)
    chunk_count = serializers.IntegerField(read_only=True, default=0)

    class Meta:
        model = Document
        fields = [
            "id",
            "knowledge_base_id",
            "file_name",
            "title",
            "media_type",
            "size_bytes",
            "content_hash",
            "content_version",
            "metadata",
            "chunking",
            "status",
            "active_version",
            "chunk_count",
            "error_code",
            "error_message",
            "created_at",
            "updated_at",
            "indexed_at",
        ]
        read_only_fields = fields


class IndexTaskSerializer(CamelModelSerializer):
    """The wish to have one content of a document indexed; its job does it."""

    document_id = serializers.CharField(read_only=True)

    class Meta:
        model = IndexTask
        fields = [
            "id",
            "document_id",
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
        read_only_fields = fields


class IndexingSerializer(CamelSerializer):
    """An index task and the job that does it; the job is null once it was pruned."""

    index_task = IndexTaskSerializer()
    background_job = JobSerializer(allow_null=True)


class UploadedSerializer(CamelSerializer):
    """``indexTask`` and ``backgroundJob`` are null when ``index`` was false."""

    document = DocumentSerializer()
    index_task = IndexTaskSerializer(allow_null=True)
    background_job = JobSerializer(allow_null=True)


class UploadSerializer(CamelSerializer):
    """A form: the file, and how to take it in. ``chunking`` is JSON text."""

    file = serializers.FileField(allow_empty_file=True)
    overwrite = serializers.BooleanField(default=False)
    chunking = serializers.CharField(required=False, allow_blank=True, max_length=2_000)
    index = serializers.BooleanField(default=True)

    def validate_chunking(self, text: str) -> Chunking:
        try:
            return read_chunking(text)
        except BadChunking as bad:
            raise serializers.ValidationError(str(bad)) from None


class ChunkSerializer(CamelModelSerializer):
    """A slice of the stored text: characters ``start`` to ``end``, lines counted from 1."""

    id = serializers.CharField(source="public_id", read_only=True)
    document_id = serializers.CharField(read_only=True)

    class Meta:
        model = Chunk
        fields = [
            "id",
            "document_id",
            "version",
            "ordinal",
            "heading_path",
            "page",
            "line_start",
            "line_end",
            "start",
            "end",
            "text",
        ]
        read_only_fields = fields


class SearchSerializer(CamelSerializer):
    """``documentIds`` and ``knowledgeBaseIds`` narrow the search; ids that you may not see find nothing."""

    query = serializers.CharField(max_length=MAX_QUERY_CHARACTERS, trim_whitespace=False)
    limit = serializers.IntegerField(min_value=1, max_value=MAX_LIMIT, default=10)
    mode = serializers.ChoiceField(choices=MODES, default="hybrid")
    document_ids = serializers.ListField(child=StorableCharField(max_length=40), max_length=1_000, required=False)


class KnowledgeSearchSerializer(SearchSerializer):
    knowledge_base_ids = serializers.ListField(child=StorableCharField(max_length=40), max_length=1_000, required=False)


class MatchSerializer(CamelSerializer):
    start = serializers.IntegerField()
    end = serializers.IntegerField()


class ExcerptSerializer(CamelSerializer):
    """A part of the chunk; ``matches`` are ranges of ``text`` where words of the query stand."""

    text = serializers.CharField()
    matches = serializers.SerializerMethodField()

    def get_matches(self, found: Any) -> list[dict[str, int]]:
        return [{"start": start, "end": end} for start, end in found.matches]


class HitDocumentSerializer(CamelModelSerializer):
    class Meta:
        model = Document
        fields = ["id", "file_name", "title"]
        read_only_fields = fields


class HitSerializer(CamelSerializer):
    """Ranks count from 1; null where that retriever did not have the chunk among its best."""

    chunk_id = serializers.CharField(source="chunk.public_id")
    knowledge_base_id = serializers.CharField(source="chunk.document.knowledge_base_id")
    document = HitDocumentSerializer(source="chunk.document")
    score = serializers.FloatField()
    lexical_rank = serializers.IntegerField(allow_null=True)
    dense_rank = serializers.IntegerField(allow_null=True)
    heading_path = serializers.ListField(child=serializers.CharField(), source="chunk.heading_path")
    page = serializers.IntegerField(source="chunk.page", allow_null=True)
    line_start = serializers.IntegerField(source="chunk.line_start")
    line_end = serializers.IntegerField(source="chunk.line_end")
    start = serializers.IntegerField(source="chunk.start")
    end = serializers.IntegerField(source="chunk.end")
    excerpt = ExcerptSerializer()


class HitsSerializer(CamelSerializer):
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    results = HitSerializer(many=True)
