"""The calls for diagnoses: readers see them, responders of the owner begin, cancel and retry them."""

import django_filters
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.generics import GenericAPIView, ListAPIView, RetrieveAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from diagnosis.api.diagnosis_finding import answer_with, diagnoses, diagnosis_in_scope, refusals
from diagnosis.api.diagnosis_request import DiagnosisRequestSerializer, arguments_for
from diagnosis.api.diagnosis_serializers import DiagnosingSerializer, DiagnosisSerializer
from diagnosis.models import Diagnosis
from diagnosis.states import DIAGNOSIS_STATUSES, Verdict
from diagnosis.transitions import retry_diagnosis, start_diagnosis
from jobs.models import Job
from jobs.transitions import request_cancel
from oncall.api.errors import invalid
from oncall.api.filters import CamelFilterSet, MomentFilter
from oncall.api.owned import scope_of
from oncall.api.schema import errors


class DiagnosisFilters(CamelFilterSet):
    status = django_filters.ChoiceFilter(choices=[(name, name) for name in DIAGNOSIS_STATUSES])
    verdict = django_filters.ChoiceFilter(choices=[(name, name) for name in Verdict.ALL])
    incident_id = django_filters.CharFilter(max_length=40)
    created_after = MomentFilter(field_name="created_at", lookup_expr="gt")
    created_before = MomentFilter(field_name="created_at", lookup_expr="lt")


class DiagnosesView(ListAPIView):
    """The diagnoses that you may see, newest first. ``createdAfter`` and ``createdBefore`` leave out the moment."""

    serializer_class = DiagnosisSerializer
    filterset_class = DiagnosisFilters

    def get_queryset(self) -> QuerySet[Diagnosis]:
        return diagnoses().filter(owner_user_id__in=scope_of(self.request))

    @extend_schema(request=DiagnosisRequestSerializer, responses={202: DiagnosingSerializer, **errors(409)})
    def post(self, request: Request) -> Response:
        """Begin a diagnosis of a question, a stored alert (``alertId``) or one of your own (``alert``).

        Without a window it is the hour before the alert and a quarter after it, or the last hour. Without ids your own
        diagnosis looks into all bases and enabled sources that you may see, a team's into those of the team. An
        incident has one diagnosis at a time: 409 names the one that is not finished.
        """
        asked = DiagnosisRequestSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        with refusals():
            arguments = arguments_for(request, asked.validated_data)
            try:
                diagnosis, _job = start_diagnosis(**arguments)
            except ValueError as bad:
                raise invalid("endsAt" if arguments["ends_at"] else "startsAt", str(bad)) from None
            return answer_with(diagnosis.pk, status=status.HTTP_202_ACCEPTED)


class DiagnosisView(RetrieveAPIView):
    """One diagnosis, with its job's id and status."""

    serializer_class = DiagnosisSerializer

    def get_object(self) -> Diagnosis:
        return diagnosis_in_scope(self.request, self.kwargs["diagnosis_id"])


class CancelDiagnosisView(GenericAPIView):
    """Stop a diagnosis: at once while it waits, at its next safe point while it runs. A finished one stays as it is."""

    serializer_class = DiagnosingSerializer

    @extend_schema(request=None, responses={200: DiagnosingSerializer})
    def post(self, request: Request, diagnosis_id: str) -> Response:
        diagnosis = diagnosis_in_scope(request, diagnosis_id, steer=True)
        with refusals():
            if Job.objects.filter(pk=diagnosis.job_id).exists():
                request_cancel(diagnosis.job_id)
            return answer_with(diagnosis.pk, status=status.HTTP_200_OK)


class RetryDiagnosisView(GenericAPIView):
    """Do a failed or cancelled diagnosis again, as a new one that names it. A diagnosis has one successor."""

    serializer_class = DiagnosingSerializer

    @extend_schema(request=None, responses={202: DiagnosingSerializer, **errors(409)})
    def post(self, request: Request, diagnosis_id: str) -> Response:
        source = diagnosis_in_scope(request, diagnosis_id, steer=True)
        with refusals():
            successor, _job = retry_diagnosis(source.pk)
            return answer_with(successor.pk, status=status.HTTP_202_ACCEPTED)
