"""The calls under ``/aiops/alerts``, and ``/aiops/changes``: programs deliver, people read."""

import django_filters
from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.generics import GenericAPIView, ListAPIView, RetrieveAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from diagnosis.alerts import take_in
from diagnosis.api.alert_serializers import (
    AlertmanagerWebhookSerializer,
    AlertSerializer,
    ChangeSerializer,
    TakenInSerializer,
    WholeAlertSerializer,
)
from diagnosis.changes import record_change
from diagnosis.incidents import mark_stale
from diagnosis.models import Alert
from diagnosis.states import ALERT_STATES
from diagnosis.webhook import NotADelivery, read_delivery
from documents.api.finding import user_of
from oncall.api.errors import Forbidden, invalid
from oncall.api.filters import CamelFilterSet
from oncall.api.owned import find_owned, scope_of
from oncall.api.permissions import ALERTS_WRITE, CHANGES_WRITE
from oncall.api.schema import errors
from oncall.owners import default_owner_id


def ingest_owner(request: Request) -> int:
    """Whose row it becomes: the token's owner. Its user must still be a responder there, as for any other change."""
    owner_id = default_owner_id(user_of(request))
    if owner_id not in scope_of(request, steer=True):
        raise Forbidden
    return owner_id


class AlertmanagerView(GenericAPIView):
    """Where Alertmanager posts its webhook, by a token of the scope ``alerts:write`` (or ``full``)."""

    serializer_class = AlertmanagerWebhookSerializer
    token_scope = ALERTS_WRITE

    @extend_schema(request=AlertmanagerWebhookSerializer, responses={200: TakenInSerializer, **errors(400)})
    def post(self, request: Request) -> Response:
        """File the alerts of one delivery for the token's owner. A bad alert is named and spoils only itself."""
        owner_id = ingest_owner(request)
        now = timezone.now()
        try:
            delivery = read_delivery(request.data, now=now)
        except NotADelivery as wrong:
            raise invalid(wrong.field or "nonFieldErrors", str(wrong)) from None
        taken = take_in(delivery, owner_id=owner_id, now=now)
        mark_stale(now)  # Whoever has webhooks alone has nothing else that looks for what went silent.
        return Response(TakenInSerializer(taken).data)


class AlertFilters(CamelFilterSet):
    status = django_filters.ChoiceFilter(field_name="state", choices=[(state, state) for state in ALERT_STATES])
    incident_id = django_filters.CharFilter(field_name="incident_id", max_length=200)


class AlertsView(ListAPIView):
    """The alerts that you may see, newest first."""

    serializer_class = AlertSerializer
    filterset_class = AlertFilters

    def get_queryset(self) -> QuerySet[Alert]:
        return Alert.objects.filter(owner_user_id__in=scope_of(self.request)).defer("payload")


class AlertView(RetrieveAPIView):
    """One alert, with what was delivered."""

    serializer_class = WholeAlertSerializer

    def get_object(self) -> Alert:
        return find_owned(Alert.objects.all(), self.kwargs["alert_id"], scope_of(self.request))


class ChangesView(GenericAPIView):
    """Where deploy tools say what they did, by a token of the scope ``changes:write`` (or ``full``)."""

    serializer_class = ChangeSerializer
    token_scope = CHANGES_WRITE

    @extend_schema(request=ChangeSerializer, responses={201: ChangeSerializer})
    def post(self, request: Request) -> Response:
        """Record a change for the token's owner. The same change again (a tool that tries again) is the same row."""
        owner_id = ingest_owner(request)
        body = ChangeSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        change = record_change(owner_id=owner_id, **body.validated_data)
        return Response(ChangeSerializer(change).data, status=status.HTTP_201_CREATED)
