"""A diagnosis and what it left, as the HTTP interface shows them: no tool's answer, no hash, no key of the engine."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from diagnosis.models import Diagnosis, Evidence, Step, ToolCall
from diagnosis.reports.order import in_order
from diagnosis.reports.schema import REPORT
from diagnosis.states import Verdict
from jobs.api.serializers import JobSerializer
from oncall.api.fields import CamelModelSerializer, CamelSerializer


@extend_schema_field(REPORT)
class ReportField(serializers.JSONField):
    """A report, its keys in the order of its schema, whichever order the database gave."""

    def to_representation(self, value: Any) -> Any:
        return in_order(value)


class VerdictField(serializers.ChoiceField):
    """One of the words, or null while there is no report."""

    def __init__(self, **options: Any) -> None:
        super().__init__(choices=[(word, word) for word in Verdict.ALL], read_only=True, allow_null=True, **options)

    def to_representation(self, value: Any) -> Any:
        return value or None


class DiagnosisSerializer(CamelModelSerializer):
    """The wish to know what broke. ``jobStatus`` is null once its job was pruned, ``verdict`` without a report."""

    owner_user_id = serializers.IntegerField(read_only=True)
    incident_id = serializers.CharField(read_only=True, allow_null=True)
    alert_id = serializers.CharField(read_only=True, allow_null=True)
    job_status = serializers.CharField(read_only=True, allow_null=True)
    verdict = VerdictField()

    class Meta:
        model = Diagnosis
        fields = [
            "id",
            "owner_user_id",
            "query",
            "incident_id",
            "alert_id",
            "starts_at",
            "ends_at",
            "knowledge_base_ids",
            "data_source_ids",
            "status",
            "stage",
            "verdict",
            "job_id",
            "job_status",
            "retry_of_diagnosis_id",
            "error_message",
            "created_at",
            "updated_at",
            "started_at",
            "completed_at",
        ]
        read_only_fields = fields


class DiagnosingSerializer(CamelSerializer):
    """A diagnosis and the job that does it; the job is null once it was pruned."""

    diagnosis = DiagnosisSerializer()
    background_job = JobSerializer(allow_null=True)


class StepSerializer(CamelModelSerializer):
    """A stage that is done."""

    class Meta:
        model = Step
        fields = ["stage", "finished_at"]
        read_only_fields = fields


class ToolCallSerializer(CamelModelSerializer):
    """A question to a source, and how its answer came; the answer itself is what the evidence shows of it."""

    class Meta:
        model = ToolCall
        fields = [
            "number",
            "stage",
            "tool",
            "source",
            "arguments",
            "status",
            "error",
            "truncated",
            "bytes",
            "created_at",
        ]
        read_only_fields = fields


class EvidenceSerializer(CamelModelSerializer):
    """What an answer shows. ``id`` is what claims cite; ``toolCall`` is the number of the question."""

    id = serializers.CharField(source="__str__", read_only=True)
    tool_call = serializers.IntegerField(source="tool_call.number", read_only=True, allow_null=True, default=None)

    class Meta:
        model = Evidence
        fields = [
            "id",
            "kind",
            "node",
            "tool_call",
            "starts_at",
            "ends_at",
            "summary",
            "stats",
            "sample",
            "created_at",
        ]
        read_only_fields = fields


class LinksSerializer(CamelSerializer):
    """Where to go from here; null where there is nothing."""

    diagnosis = serializers.CharField()
    job = serializers.CharField(allow_null=True)
    events = serializers.CharField()
    event_stream = serializers.CharField()
    report = serializers.CharField(allow_null=True)
    incident = serializers.CharField(allow_null=True)
    retry_of = serializers.CharField(allow_null=True)


class EvidenceChainSerializer(CamelSerializer):
    """From the wish to the report. ``truncated``: there are more tool calls or evidence than are shown."""

    task = DiagnosisSerializer()
    steps = StepSerializer(many=True)
    tool_calls = ToolCallSerializer(many=True)
    evidence = EvidenceSerializer(many=True)
    report = ReportField(allow_null=True)
    truncated = serializers.BooleanField()
    links = LinksSerializer()
