"""The calls under ``/aiops/rules``: readers see, admins of the owner make, change and delete."""

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.generics import GenericAPIView, ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from diagnosis.api.rule_serializers import RuleChangeSerializer, RuleSerializer
from diagnosis.models import Rule
from diagnosis.rules import NameTaken, change_rule, create_rule, delete_rule
from documents.api.finding import admin_scope, user_of
from oncall.api.errors import Conflict, Forbidden
from oncall.api.owned import find_owned, scope_of
from oncall.api.schema import errors
from oncall.owners import default_owner_id


class RulesView(ListAPIView):
    """The rules that you may see, newest first."""

    serializer_class = RuleSerializer

    def get_queryset(self) -> QuerySet[Rule]:
        return Rule.objects.filter(owner_user_id__in=scope_of(self.request))

    @extend_schema(responses={201: RuleSerializer, **errors(409)})
    def post(self, request: Request) -> Response:
        """A new rule: your own, or that of an owner (``ownerUserId``) whose admin you are."""
        body = RuleSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        values = dict(body.validated_data)
        owner_id = values.pop("owner_user_id", None) or default_owner_id(user_of(request))
        if owner_id not in admin_scope(request):
            raise Forbidden
        try:
            rule = create_rule(owner_id=owner_id, **values)
        except NameTaken as taken:
            raise Conflict(str(taken)) from None
        return Response(RuleSerializer(rule).data, status=status.HTTP_201_CREATED)


class RuleView(GenericAPIView):
    """One rule."""

    serializer_class = RuleSerializer

    def get(self, request: Request, rule_id: str) -> Response:
        return Response(RuleSerializer(find_owned(Rule.objects.all(), rule_id, scope_of(request))).data)

    @extend_schema(request=RuleChangeSerializer, responses={200: RuleSerializer, **errors(409)})
    def patch(self, request: Request, rule_id: str) -> Response:
        """Change the rule."""
        rule = find_owned(Rule.objects.all(), rule_id, admin_scope(request))
        body = RuleChangeSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        try:
            return Response(RuleSerializer(change_rule(rule.pk, **body.validated_data)).data)
        except NameTaken as taken:
            raise Conflict(str(taken)) from None
        except Rule.DoesNotExist:
            raise Forbidden from None

    @extend_schema(responses={204: None})
    def delete(self, request: Request, rule_id: str) -> Response:
        """Remove the rule; diagnoses that it began go on."""
        delete_rule(find_owned(Rule.objects.all(), rule_id, admin_scope(request)).pk)
        return Response(status=status.HTTP_204_NO_CONTENT)
