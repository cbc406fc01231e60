"""The calls under ``/aiops/incidents``: readers see; responders acknowledge, note, diagnose and refresh."""

from collections.abc import Callable
from typing import Any

import django_filters
from django.db.models import Case, Count, IntegerField, OuterRef, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.generics import GenericAPIView, ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from diagnosis.api.diagnosis_finding import answer_with, diagnoses, refusals
from diagnosis.api.diagnosis_serializers import DiagnosingSerializer
from diagnosis.api.incident_serializers import IncidentSerializer, NewNoteSerializer, WholeIncidentSerializer
from diagnosis.incidents import EmptyNote, acknowledge, add_note
from diagnosis.models import Alert, Incident
from diagnosis.rules import diagnose_incident, refresh_incident
from diagnosis.states import FIRING, INCIDENT_STATES
from documents.api.finding import user_of
from oncall.api.errors import invalid
from oncall.api.filters import CamelFilterSet
from oncall.api.owned import find_owned, scope_of
from oncall.api.schema import errors

MOST_ALERTS = 200
MOST_NOTES = 200
MOST_DIAGNOSES = 20


def incidents() -> QuerySet[Incident]:
    """All of them, with ``alert_count`` and ``firing_count``: counted, never kept as numbers that could drift."""
    alerts = Alert.objects.filter(incident_id=OuterRef("pk")).order_by()
    counted = {"alert_count": _count(alerts), "firing_count": _count(alerts.filter(state=FIRING))}
    return Incident.objects.select_related("acknowledged_by").annotate(**counted)


def _count(rows: QuerySet[Alert]) -> Any:
    counted = Subquery(rows.values("incident_id").annotate(n=Count("pk")).values("n"), output_field=IntegerField())
    return Coalesce(counted, 0)


def whole_incident(incident_id: str) -> Incident:
    """The incident with what is shown of it; each list is bounded."""
    incident: Any = incidents().get(pk=incident_id)
    firing_first = Case(When(state=FIRING, then=Value(0)), default=Value(1))
    alerts = Alert.objects.filter(incident_id=incident_id).defer("payload")
    notes = incident.notes.select_related("author").order_by("-created_at", "-id")
    incident.shown_alerts = list(alerts.order_by(firing_first, "starts_at", "pk")[:MOST_ALERTS])
    incident.shown_notes = list(notes[:MOST_NOTES])[::-1]
    incident.shown_diagnoses = list(diagnoses().filter(incident_id=incident_id)[:MOST_DIAGNOSES])
    return incident


class IncidentFilters(CamelFilterSet):
    state = django_filters.ChoiceFilter(choices=[(state, state) for state in INCIDENT_STATES])


class IncidentsView(ListAPIView):
    """The incidents that you may see, newest first."""

    serializer_class = IncidentSerializer
    filterset_class = IncidentFilters

    def get_queryset(self) -> QuerySet[Incident]:
        return incidents().filter(owner_user_id__in=scope_of(self.request))


class OneIncidentView(GenericAPIView):
    """A call about one incident."""

    serializer_class = WholeIncidentSerializer

    def find(self, *, steer: bool) -> Incident:
        """The incident if the caller may see it (``steer``: deal with it); else ``Forbidden``."""
        return find_owned(Incident.objects.all(), self.kwargs["incident_id"], scope_of(self.request, steer=steer))

    def answer(self, incident_id: str) -> Response:
        return Response(WholeIncidentSerializer(whole_incident(incident_id)).data)

    def begin(self, start: Callable[[Incident], Any]) -> Response:
        """202 with the diagnosis that ``start`` begins and its job."""
        incident = self.find(steer=True)
        with refusals():
            diagnosis, _ = start(incident)
        return answer_with(diagnosis.pk, status=status.HTTP_202_ACCEPTED)


class IncidentView(OneIncidentView):
    """One incident with its alerts, notes and newest diagnoses."""

    def get(self, request: Request, incident_id: str) -> Response:
        return self.answer(self.find(steer=False).pk)


class AcknowledgeIncidentView(OneIncidentView):
    """Say that you look after it. The first one who does stays."""

    @extend_schema(request=None, responses={200: WholeIncidentSerializer})
    def post(self, request: Request, incident_id: str) -> Response:
        incident = self.find(steer=True)
        with refusals():
            acknowledge(incident.pk, user_id=user_of(request).pk)
            return self.answer(incident.pk)


class NoteIncidentView(OneIncidentView):
    """Write into the incident, for everybody who looks after it."""

    @extend_schema(request=NewNoteSerializer, responses={200: WholeIncidentSerializer})
    def post(self, request: Request, incident_id: str) -> Response:
        """Add a note. A secret in the text is masked before it is stored."""
        incident = self.find(steer=True)
        body = NewNoteSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        with refusals():
            try:
                add_note(incident.pk, author_id=user_of(request).pk, text=body.validated_data["text"])
            except EmptyNote as empty:
                raise invalid("text", str(empty)) from None
            return self.answer(incident.pk)


class DiagnoseIncidentView(OneIncidentView):
    """Begin a diagnosis of the incident, around the alert that it began with."""

    @extend_schema(request=None, responses={202: DiagnosingSerializer, **errors(409)})
    def post(self, request: Request, incident_id: str) -> Response:
        """Diagnose the incident now. While a diagnosis of it is not finished: 409 naming that one."""
        return self.begin(diagnose_incident)


class RefreshIncidentView(OneIncidentView):
    """Begin a diagnosis of the incident up to now: with what has changed since."""

    @extend_schema(request=None, responses={202: DiagnosingSerializer, **errors(409)})
    def post(self, request: Request, incident_id: str) -> Response:
        """Diagnose the incident up to now. While a diagnosis of it is not finished: 409 naming that one."""
        return self.begin(refresh_incident)
