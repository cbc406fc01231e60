"""Serialisers whose declared names are camelCase outside and snake_case inside, and the fields they need.

Only declared names change: what stands in a JSON field (payloads, labels, evidence) passes through untouched.
Times are ISO 8601 in UTC with ``Z`` (Django REST Framework's own form, as ``TIME_ZONE`` is UTC).
"""

from typing import Any

from rest_framework import serializers

from oncall.api.naming import camel_case

MAX_DEPTH = 64


class CamelSerializer(serializers.Serializer):
    """A serialiser that is declared with ``created_at`` and speaks ``createdAt``, in data, errors and schema alike.

    ``validated_data`` has the declared names; ``validate_created_at`` and ``get_created_at`` are found as usual.
    """

    def get_fields(self) -> dict[str, Any]:
        return {self._rename(name, field): field for name, field in super().get_fields().items()}

    def _rename(self, name: str, field: Any) -> str:
        camel = camel_case(name)
        if camel == name:
            return name
        if isinstance(field, serializers.SerializerMethodField):
            field.method_name = field.method_name or f"get_{name}"
        elif field.source is None:
            field.source = name
        if hasattr(self, f"validate_{name}"):
            setattr(self, f"validate_{camel}", getattr(self, f"validate_{name}"))
        return camel


class CamelModelSerializer(CamelSerializer, serializers.ModelSerializer):
    """The same for a model. Uniqueness over several columns is the transition's to say, as a conflict."""

    def get_unique_together_validators(self) -> list[Any]:
        return []

    def get_unique_for_date_validators(self) -> list[Any]:
        return []


class PlainJSONField(serializers.JSONField):
    """JSON that both databases can store: no NUL, no lone surrogate, at most 64 levels deep. Keys stay as they are."""

    default_error_messages = {
        "text": "Text must not contain NUL characters or lone surrogates.",
        "depth": f"The value is nested more than {MAX_DEPTH} levels deep.",
    }

    def to_internal_value(self, data: Any) -> Any:
        self._check(data, depth=0)
        return super().to_internal_value(data)

    def _check(self, value: Any, *, depth: int) -> None:
        if depth > MAX_DEPTH:
            self.fail("depth")
        if isinstance(value, str) and not is_storable(value):
            self.fail("text")
        if isinstance(value, dict):
            for key, item in value.items():
                self._check(key, depth=depth + 1)
                self._check(item, depth=depth + 1)
        elif isinstance(value, list):
            for item in value:
                self._check(item, depth=depth + 1)


def is_storable(text: str) -> bool:
    """Whether both databases can store ``text``: PostgreSQL takes no NUL, and neither takes half a character."""
    return "\x00" not in text and not any("\ud800" <= character <= "\udfff" for character in text)
