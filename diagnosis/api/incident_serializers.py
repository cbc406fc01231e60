"""An incident with what belongs to it, as the HTTP interface shows it."""

from rest_framework import serializers

from diagnosis.api.alert_serializers import AlertSerializer
from diagnosis.api.diagnosis_serializers import DiagnosisSerializer
from diagnosis.incidents import MOST_NOTE_CHARACTERS
from diagnosis.models import Incident, IncidentNote
from documents.api.serializers import StorableCharField
from oncall.api.fields import CamelModelSerializer, CamelSerializer


class IncidentSerializer(CamelModelSerializer):
    """Alerts that belong together. ``diagnosedAt`` is when a rule last began a diagnosis of it."""

    owner_user_id = serializers.IntegerField(read_only=True)
    acknowledged_by_user_id = serializers.IntegerField(source="acknowledged_by_id", read_only=True, allow_null=True)
    acknowledged_by = serializers.CharField(
        source="acknowledged_by.username", read_only=True, allow_null=True, default=None
    )
    recurrence_of_incident_id = serializers.CharField(source="recurrence_of_id", read_only=True, allow_null=True)
    alert_count = serializers.IntegerField(read_only=True)
    firing_count = serializers.IntegerField(read_only=True)

    class Meta:
        model = Incident
        fields = [
            "id",
            "owner_user_id",
            "title",
            "state",
            "opened_at",
            "resolved_at",
            "acknowledged_at",
            "acknowledged_by_user_id",
            "acknowledged_by",
            "recurrence_of_incident_id",
            "alert_count",
            "firing_count",
            "diagnosed_at",
            "created_at",
            "updated_at",
        ]
        read_only_fields = fields


class IncidentNoteSerializer(CamelModelSerializer):
    author_user_id = serializers.IntegerField(source="author_id", read_only=True)
    author = serializers.CharField(source="author.username", read_only=True)

    class Meta:
        model = IncidentNote
        fields = ["author_user_id", "author", "text", "created_at"]
        read_only_fields = fields


class WholeIncidentSerializer(IncidentSerializer):
    """The same with the alerts (at most 200, those that fire first), notes (the last 200) and the newest diagnoses."""

    alerts = AlertSerializer(many=True, read_only=True, source="shown_alerts")
    notes = IncidentNoteSerializer(many=True, read_only=True, source="shown_notes")
    diagnoses = DiagnosisSerializer(many=True, read_only=True, source="shown_diagnoses")

    class Meta(IncidentSerializer.Meta):
        fields = [*IncidentSerializer.Meta.fields, "alerts", "notes", "diagnoses"]
        read_only_fields = fields


class NewNoteSerializer(CamelSerializer):
    text = StorableCharField(max_length=MOST_NOTE_CHARACTERS)
