"""What the calls of data sources take and give. A secret goes in and never comes out."""

from typing import Any, Final

from rest_framework import serializers

from diagnosis.catalogue.checking import SOURCE_RESULTS
from diagnosis.datasources.credentials import seal
from diagnosis.models import DataSource
from documents.api.serializers import StorableCharField
from oncall.api.fields import CamelModelSerializer, CamelSerializer

MAX_SECRET: Final = 4_096
# What may stand in a header: nothing that ends a line.
_HEADER_SAFE: Final = r"\A[\x20-\x7e\u00a0-\U0010ffff]*\Z"
CHOSEN_KINDS: Final = [DataSource.Kind.PROMETHEUS, DataSource.Kind.ALERTMANAGER]


class SecretField(serializers.RegexField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(_HEADER_SAFE, max_length=MAX_SECRET, required=False, trim_whitespace=False, **kwargs)


class SecretSerializer(CamelSerializer):
    """A bearer token, or a user name with a password."""

    bearer_token = serializers.RegexField(r"\A[\x21-\x7e]+\Z", max_length=MAX_SECRET, required=False)
    username = SecretField()
    password = SecretField(allow_blank=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if set(attrs) not in ({"bearer_token"}, {"username", "password"}):
            raise serializers.ValidationError("Either bearerToken, or username and password.")
        if ":" in attrs.get("username", ""):
            raise serializers.ValidationError("A user name has no colon.")
        return attrs


class DataSourceSerializer(CamelModelSerializer):
    """A place that is asked. ``hasSecret`` is all that is said of its secret."""

    owner_user_id = serializers.IntegerField(read_only=True)
    has_secret = serializers.SerializerMethodField()
    check_result = serializers.ChoiceField(
        choices=["", *SOURCE_RESULTS], read_only=True, help_text="Of the newest check or pull."
    )

    class Meta:
        model = DataSource
        fields = [
            "id",
            "owner_user_id",
            "name",
            "kind",
            "url",
            "enabled",
            "has_secret",
            "incident_id",
            "checked_at",
            "check_result",
            "created_at",
            "updated_at",
        ]
        read_only_fields = fields

    def get_has_secret(self, source: DataSource) -> bool:
        return bool(source.secret)


class DataSourceChangeSerializer(CamelSerializer):
    """A changed scheme, host or port takes the secret away, unless a new one comes with it. ``secret`` null too."""

    name = StorableCharField(max_length=200, required=False)
    url = StorableCharField(max_length=2_000, required=False)
    enabled = serializers.BooleanField(required=False)
    secret = SecretSerializer(required=False, allow_null=True, write_only=True)

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """The secret leaves here sealed."""
        values: dict[str, Any] = super().to_internal_value(data)
        if "secret" in values:
            values["secret"] = "" if values["secret"] is None else seal(**values["secret"])
        return values


class NewDataSourceSerializer(DataSourceChangeSerializer):
    """A source of your own (staff), or of a team (``ownerUserId``) whose admin you are."""

    name = StorableCharField(max_length=200)
    kind = serializers.ChoiceField(choices=CHOSEN_KINDS)
    url = StorableCharField(max_length=2_000)
    owner_user_id = serializers.IntegerField(required=False, min_value=1, max_value=2**63 - 1)


class SourceCheckSerializer(CamelSerializer):
    """A class of failure, or ``ok``, and a sentence of ours; nothing of what the source said."""

    result = serializers.ChoiceField(choices=SOURCE_RESULTS)
    detail = serializers.CharField()
