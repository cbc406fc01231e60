"""What the calls about alerts and changes take and give. Labels, annotations and payloads pass through untouched."""

from typing import Any, Final

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from diagnosis.models import Alert, Change
from documents.api.serializers import StorableCharField
from oncall.api.fields import CamelModelSerializer, CamelSerializer

_TEXTS: Final = {"type": "object", "additionalProperties": {"type": "string"}}


@extend_schema_field(_TEXTS)
class TextsField(serializers.JSONField):
    """Names and texts, as they were delivered."""


class AlertSerializer(CamelModelSerializer):
    """One firing of one alert. ``superseded``: nobody told its end, but it fires again since ``endsAt``."""

    owner_user_id = serializers.IntegerField(read_only=True)
    incident_id = serializers.CharField(read_only=True)
    recurrence_of_alert_id = serializers.CharField(source="recurrence_of_id", read_only=True, allow_null=True)
    labels = TextsField(read_only=True)
    annotations = TextsField(read_only=True)

    class Meta:
        model = Alert
        fields = [
            "id",
            "owner_user_id",
            "incident_id",
            "source",
            "fingerprint",
            "name",
            "service",
            "state",
            "starts_at",
            "ends_at",
            "superseded",
            "last_seen_at",
            "deliveries",
            "labels",
            "annotations",
            "generator_url",
            "group_key",
            "recurrence_of_alert_id",
            "created_at",
            "updated_at",
        ]
        read_only_fields = fields


class WholeAlertSerializer(AlertSerializer):
    """The same with ``payload``: the alert as it was delivered, secrets masked."""

    class Meta(AlertSerializer.Meta):
        fields = [*AlertSerializer.Meta.fields, "payload"]
        read_only_fields = fields


class DeliveredAlertSerializer(serializers.Serializer):
    """An alert in the words of Alertmanager. ``endsAt`` in the year 1 means that it fires."""

    status = serializers.ChoiceField(choices=["firing", "resolved"], required=False)
    labels = TextsField()
    annotations = TextsField(required=False)
    startsAt = serializers.DateTimeField()
    endsAt = serializers.DateTimeField(required=False)
    generatorURL = serializers.CharField(required=False)
    fingerprint = serializers.CharField()


class AlertmanagerWebhookSerializer(serializers.Serializer):
    """Alertmanager's webhook, version 4; what else it sends is not read."""

    version = serializers.ChoiceField(choices=["4"])
    groupKey = serializers.CharField(required=False)
    alerts = DeliveredAlertSerializer(many=True)


class InvalidAlertSerializer(CamelSerializer):
    """An alert that was not stored: its place in the list, counted from 0, and what is wrong with it."""

    index = serializers.IntegerField()
    field = serializers.CharField()
    detail = serializers.CharField()


class TakenInSerializer(CamelSerializer):
    """Each alert received was created, updated, a heartbeat (Watchdog) or invalid. ``resolved`` counts those of the
    first two that were told to be over; ``incidents`` are the ids of the incidents concerned."""

    received = serializers.IntegerField()
    created = serializers.IntegerField()
    updated = serializers.IntegerField()
    resolved = serializers.IntegerField()
    heartbeats = serializers.IntegerField()
    invalid = InvalidAlertSerializer(many=True)
    incidents = serializers.ListField(child=serializers.CharField())


class ChangeSerializer(CamelModelSerializer):
    """Something that was done to a service: a deploy, a configuration change, a feature flag."""

    owner_user_id = serializers.IntegerField(read_only=True)
    service = StorableCharField(max_length=200)
    kind = StorableCharField(max_length=50)
    at = serializers.DateTimeField()
    version = StorableCharField(max_length=200, allow_blank=True, required=False)
    url = StorableCharField(max_length=2_000, allow_blank=True, required=False)

    class Meta:
        model = Change
        fields = ["id", "owner_user_id", "service", "kind", "at", "version", "url", "created_at"]
        read_only_fields = ["id", "created_at"]

    def validate_url(self, url: str) -> Any:
        if url and not url.startswith(("http://", "https://")):
            raise serializers.ValidationError("Must be an address that begins with http:// or https://.")
        return url
