"""The project's addresses, and a few views that fail or list on purpose: what the API's floor promises to every app."""

from typing import Any

import django_filters
from django.core.exceptions import SuspiciousOperation, ValidationError
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.http import require_GET
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.generics import ListAPIView
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from oncall import urls as project
from oncall.api.errors import Conflict, PayloadTooLarge
from oncall.api.fields import CamelModelSerializer, CamelSerializer, PlainJSONField
from oncall.api.filters import CamelFilterSet, MomentFilter, StrictFilterBackend
from oncall.api.owned import find_owned, scope_of
from oncall.api.permissions import ALERTS_WRITE, READ
from oncall.models import Token

FAILURES: dict[str, Exception] = {
    "conflict": Conflict("job_1 stands in the way."),
    "database": OperationalError('database is locked: SELECT secret FROM "oncall_user"'),
    "django-validation": ValidationError({"name": ["Too short."]}),
    "permission": PermissionDenied("a reason that must not show"),
    "suspicious": SuspiciousOperation("forged"),
    "too-large": PayloadTooLarge(),
    "unforeseen": RuntimeError("password=hunter2"),
}


class Fail(APIView):
    permission_classes = [AllowAny]

    def get(self, request: Request, name: str) -> Response:
        raise FAILURES[name]


def fail_plainly(request: HttpRequest, name: str) -> HttpResponse:
    raise FAILURES[name]


@require_GET
def only_get(request: HttpRequest) -> HttpResponse:
    return HttpResponse("read")


class TokenRow(CamelModelSerializer):
    class Meta:
        model = Token
        fields = ["id", "last_used_at"]


class TokenFilters(CamelFilterSet):
    token_key = django_filters.CharFilter()
    used_after = MomentFilter(field_name="last_used_at", lookup_expr="gte")
    scope = django_filters.ChoiceFilter(choices=Token.Scope.choices)


class Rows(ListAPIView):
    """A list of the rows that the caller may see."""

    serializer_class = TokenRow
    filterset_class = TokenFilters
    filter_backends = [StrictFilterBackend]
    ordering = ("-created", "-id")

    def get_queryset(self) -> Any:
        return Token.objects.filter(owner_id__in=scope_of(self.request))


class Row(APIView):
    def get(self, request: Request, pk: str) -> Response:
        return Response(TokenRow(find_owned(Token.objects, pk, scope_of(request), owner_field="owner_id")).data)

    def post(self, request: Request, pk: str) -> Response:
        found = find_owned(Token.objects, pk, scope_of(request, steer=True), owner_field="owner_id")
        return Response(TokenRow(found).data)

    patch = put = delete = post


class Ingest(APIView):
    token_scope = ALERTS_WRITE

    def post(self, request: Request) -> Response:
        return Response({"owner": request.auth.owner_id})


class Search(APIView):
    token_scope = READ

    def post(self, request: Request) -> Response:
        return Response({})


class Body(CamelSerializer):
    display_name = serializers.CharField(max_length=20)
    many_labels = PlainJSONField(default=dict)
    starts_at = serializers.DateTimeField(required=False)

    def validate_display_name(self, name: str) -> str:
        if name == "forbidden":
            raise serializers.ValidationError("Not this one.")
        return name


class Echo(APIView):
    permission_classes = [AllowAny]

    def post(self, request: Request) -> Response:
        body = Body(data=request.data)
        body.is_valid(raise_exception=True)
        return Response({"inside": sorted(body.validated_data), "outside": body.data})


urlpatterns = [
    path("probe/fail/<str:name>", Fail.as_view()),
    path("probe/plain/<str:name>", fail_plainly),
    path("jobs/plain/<str:name>", fail_plainly),
    path("probe/only-get", only_get),
    path("probe/rows", Rows.as_view()),
    path("probe/rows/<str:pk>:poke", Row.as_view()),
    path("probe/rows/<str:pk>", Row.as_view()),
    path("probe/ingest", Ingest.as_view()),
    path("probe/knowledge:search", Search.as_view()),
    path("probe/echo", Echo.as_view()),
    *project.urlpatterns,
]
handler400, handler403 = project.handler400, project.handler403
handler404, handler500 = project.handler404, project.handler500
