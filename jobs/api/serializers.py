"""A job, an attempt and an event as the HTTP interface shows them: no payload, no lease, no traceback."""

from rest_framework import serializers

from jobs.models import Job, JobAttempt, JobEvent
from oncall.api.fields import CamelModelSerializer


class JobSerializer(CamelModelSerializer):
    """One durable unit of work. ``result`` is what its handler returned, untouched."""

    owner_user_id = serializers.IntegerField(read_only=True, allow_null=True)
    # Any JSON, null among it: said to be nullable as well, null would fit twice.
    result = serializers.JSONField(read_only=True)

    class Meta:
        model = Job
        fields = [
            "id",
            "owner_user_id",
            "kind",
            "resource_type",
            "resource_id",
            "status",
            "attempt",
            "max_attempts",
            "timeout_seconds",
            "priority",
            "available_at",
            "cancel_requested_at",
            "retry_of_job_id",
            "error_message",
            "progress",
            "progress_message",
            "result",
            "created_at",
            "updated_at",
            "started_at",
            "completed_at",
        ]
        read_only_fields = fields


class JobAttemptSerializer(CamelModelSerializer):
    """One run of a job by one worker; ``outcome`` is null while it goes on."""

    class Meta:
        model = JobAttempt
        fields = [
            "number",
            "epoch",
            "worker",
            "started_at",
            "ended_at",
            "outcome",
            "error_class",
            "error_message",
        ]
        read_only_fields = fields


class JobEventSerializer(CamelModelSerializer):
    """One thing that a job's handler said; ``payload`` is untouched."""

    class Meta:
        model = JobEvent
        fields = ["sequence", "type", "payload", "epoch", "created_at"]
        read_only_fields = fields
