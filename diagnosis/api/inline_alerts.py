"""An alert in the body of a request: read, bounded and masked like a delivered one, and filed like it."""

import hashlib
import json
from typing import Any, Final

from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from diagnosis.alerts import take_in
from diagnosis.delivered import BadField, Delivered, read_alert
from diagnosis.models import Alert
from diagnosis.webhook import Delivery

SOURCE: Final = "api"
_TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}
_TIME = {"type": "string", "format": "date-time"}
_SCHEMA = {
    "type": "object",
    "properties": {
        "labels": _TEXTS,
        "annotations": _TEXTS,
        "startsAt": _TIME,
        "endsAt": _TIME,
        "status": {"type": "string", "enum": ["firing", "resolved"]},
        "generatorURL": {"type": "string"},
        "fingerprint": {"type": "string"},
    },
    "required": ["labels", "startsAt"],
}


@extend_schema_field(_SCHEMA)
class InlineAlertField(serializers.Field):
    """One alert as Alertmanager's webhook writes it. Without a fingerprint it is known by its labels."""

    def to_internal_value(self, data: Any) -> Delivered:
        if isinstance(data, dict) and not data.get("fingerprint"):
            data = {**data, "fingerprint": _fingerprint(data.get("labels"))}
        try:
            alert = read_alert(data, now=timezone.now())
        except BadField as bad:
            raise serializers.ValidationError({bad.field: [bad.detail]} if bad.field else [bad.detail]) from None
        if alert.is_heartbeat:
            raise serializers.ValidationError({"labels": ["A heartbeat is nothing to diagnose."]})
        return alert

    def to_representation(self, value: Any) -> Any:
        return value


def file_inline(alert: Delivered, *, owner_id: int) -> Alert:
    """Store the alert with its incident, or find it there already."""
    delivery = Delivery(received=1, alerts=[alert])
    take_in(delivery, owner_id=owner_id, source=SOURCE, by_webhook=False)
    filed = Alert.objects.select_related("incident")
    return filed.get(owner_user_id=owner_id, source=SOURCE, fingerprint=alert.fingerprint, starts_at=alert.starts_at)


def _fingerprint(labels: Any) -> str:
    return hashlib.sha256(json.dumps(labels, sort_keys=True).encode()).hexdigest()[:16]
