"""What the sign-in and token calls take and give."""

from typing import Any

from django.utils import timezone
from rest_framework import serializers

from oncall.api.fields import CamelModelSerializer, CamelSerializer
from oncall.models import Membership, Token, User


class CredentialsSerializer(CamelSerializer):
    username = serializers.CharField(max_length=150)
    password = serializers.CharField(max_length=1024, trim_whitespace=False, write_only=True)


class TeamSerializer(CamelSerializer):
    id = serializers.IntegerField(source="team_id")
    name = serializers.CharField(source="team")
    role = serializers.ChoiceField(choices=Membership.Role.choices)


class UserSerializer(CamelModelSerializer):
    """A person and the teams whose rows the person sees."""

    email = serializers.CharField(read_only=True)  # May be empty, which the format "email" would not allow.
    teams = serializers.SerializerMethodField()

    class Meta:
        model = User
        fields = ["id", "username", "first_name", "last_name", "email", "is_staff", "teams"]
        read_only_fields = fields

    def get_teams(self, user: User) -> list[dict[str, Any]]:
        found = Membership.objects.filter(user=user, team__is_active=True).select_related("team").order_by("team_id")
        if user.only_owner_id is not None:
            found = found.filter(team_id=user.only_owner_id)
        return list(TeamSerializer(found, many=True).data)


class LoginSerializer(CamelSerializer):
    token = serializers.CharField()
    expiry = serializers.DateTimeField()
    user = UserSerializer()


class TokenSerializer(CamelModelSerializer):
    """A token as it is listed: never its text."""

    created_at = serializers.DateTimeField(source="created", read_only=True)
    created_by_user_id = serializers.IntegerField(source="user_id", read_only=True)
    owner_user_id = serializers.IntegerField(source="owner_id", read_only=True)

    class Meta:
        model = Token
        fields = ["id", "name", "scope", "owner_user_id", "created_by_user_id", "created_at", "expiry", "last_used_at"]
        read_only_fields = fields


class NewTokenSerializer(CamelSerializer):
    """What creates a token. Without ``ownerUserId`` it is one's own; without ``expiry`` it serves until revoked."""

    name = serializers.CharField(max_length=100)
    scope = serializers.ChoiceField(choices=Token.Scope.choices, default=Token.Scope.FULL)
    owner_user_id = serializers.IntegerField(min_value=1, max_value=2**63 - 1, required=False, allow_null=True)
    expiry = serializers.DateTimeField(required=False, allow_null=True)

    def validate_expiry(self, expiry: Any) -> Any:
        if expiry is not None and expiry <= timezone.now():
            raise serializers.ValidationError("Must be in the future.")
        return expiry


class CreatedTokenSerializer(TokenSerializer):
    """A token with its text, shown this once."""

    token = serializers.SerializerMethodField()

    class Meta(TokenSerializer.Meta):
        fields = [*TokenSerializer.Meta.fields, "token"]
        read_only_fields = fields

    def get_token(self, token: Token) -> str:
        return str(self.context["token"])
