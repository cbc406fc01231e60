"""A rule, as the calls take and give it."""

from typing import Any, Final

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from diagnosis.models import Rule
from documents.api.serializers import StorableCharField
from oncall.api.fields import CamelModelSerializer, CamelSerializer, PlainJSONField

MOST_LABELS: Final = 50
MOST_VALUES: Final = 50
MOST_CHARACTERS: Final = 2_000
_SCHEMA: Final = {
    "type": "object",
    "additionalProperties": {
        "oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}],
    },
}


@extend_schema_field(_SCHEMA)
class MatchersField(PlainJSONField):
    """A label → the value wanted, or a list of values of which one is wanted. Without any, every alert matches."""

    default_error_messages = {
        "shape": "Must be an object of labels, each with a text or a list of texts.",
        "many": f"At most {MOST_LABELS} labels, and {MOST_VALUES} values for one.",
        "long": f"A label and a value have at most {MOST_CHARACTERS:,} characters, and a label at least one.",
    }

    def to_internal_value(self, data: Any) -> Any:
        matchers = super().to_internal_value(data)
        if not isinstance(matchers, dict):
            self.fail("shape")
        lists = [wanted if isinstance(wanted, list) else [wanted] for wanted in matchers.values()]
        if not all(values and all(isinstance(value, str) for value in values) for values in lists):
            self.fail("shape")
        if len(matchers) > MOST_LABELS or any(len(values) > MOST_VALUES for values in lists):
            self.fail("many")
        texts = [*matchers, *(value for values in lists for value in values)]
        if "" in matchers or any(len(text) > MOST_CHARACTERS for text in texts):
            self.fail("long")
        return matchers


class RuleSerializer(CamelModelSerializer):
    """A firing alert whose labels match begins one diagnosis of its incident."""

    name = StorableCharField(max_length=200)
    matchers = MatchersField()
    owner_user_id = serializers.IntegerField(required=False, min_value=1, max_value=2**63 - 1)

    class Meta:
        model = Rule
        fields = ["id", "owner_user_id", "name", "matchers", "enabled", "created_at", "updated_at"]
        read_only_fields = ["id", "created_at", "updated_at"]


class RuleChangeSerializer(CamelSerializer):
    name = StorableCharField(max_length=200, required=False)
    matchers = MatchersField(required=False)
    enabled = serializers.BooleanField(required=False)
