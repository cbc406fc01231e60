"""What the calls of the catalogue take and give; ``diagnosis.catalogue.definition`` says what fits together."""

from rest_framework import serializers

from diagnosis.catalogue.checking import FAMILY_RESULTS
from diagnosis.models import Service
from documents.api.serializers import StorableCharField
from oncall.api.fields import CamelModelSerializer, CamelSerializer, PlainJSONField

SELECTOR = "Label → value; a label may end with its operator: `pod=~`."
PRESETS = "Names of presets, or `{name, selector}` where a preset's metrics carry other labels."
TEMPLATES = "Metric family → PromQL with `$selector` and `$range`, instead of the presets'."


class ServiceSerializer(CamelModelSerializer):
    """A service of the catalogue. ``calls`` names the services that it calls."""

    owner_user_id = serializers.IntegerField(read_only=True)
    selector = PlainJSONField(help_text=SELECTOR)
    presets = PlainJSONField(help_text=PRESETS)
    templates = PlainJSONField(help_text=TEMPLATES)
    calls = serializers.SerializerMethodField()

    class Meta:
        model = Service
        fields = [
            "id",
            "owner_user_id",
            "name",
            "kind",
            "selector",
            "presets",
            "templates",
            "calls",
            "created_at",
            "updated_at",
        ]
        read_only_fields = fields

    def get_calls(self, service: Service) -> list[str]:
        return sorted(edge.callee.name for edge in service.calls.all())


class ServiceChangeSerializer(CamelSerializer):
    name = StorableCharField(max_length=200, required=False)
    kind = serializers.ChoiceField(choices=Service.Kind.choices, required=False)
    selector = PlainJSONField(required=False, help_text=SELECTOR)
    presets = PlainJSONField(required=False, help_text=PRESETS)
    templates = PlainJSONField(required=False, help_text=TEMPLATES)
    calls = serializers.ListField(child=StorableCharField(max_length=200), required=False)


class NewServiceSerializer(ServiceChangeSerializer):
    name = StorableCharField(max_length=200)
    owner_user_id = serializers.IntegerField(required=False, min_value=1, max_value=2**63 - 1)


class FamilyCheckSerializer(CamelSerializer):
    """One family in one source; family ``*`` where the source itself cannot be opened."""

    data_source_id = serializers.CharField()
    family = serializers.CharField()
    result = serializers.ChoiceField(choices=FAMILY_RESULTS)
    series = serializers.IntegerField()
    detail = serializers.CharField()


class FamilyChecksSerializer(CamelSerializer):
    next = serializers.CharField(allow_null=True)
    previous = serializers.CharField(allow_null=True)
    results = FamilyCheckSerializer(many=True)
