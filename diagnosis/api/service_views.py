"""The calls under ``/aiops/services``, the catalogue: readers see, responders check, admins of the owner change."""

from collections.abc import Iterator
from contextlib import contextmanager

import django_filters
from django.core.exceptions import ObjectDoesNotExist
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.generics import GenericAPIView, ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from diagnosis.api.service_serializers import (
    FamilyCheckSerializer,
    FamilyChecksSerializer,
    NewServiceSerializer,
    ServiceChangeSerializer,
    ServiceSerializer,
)
from diagnosis.catalogue.checking import check_service
from diagnosis.catalogue.definition import BadDefinition
from diagnosis.catalogue.editing import ServiceConflict, change_service, create_service, delete_service
from diagnosis.models import DataSource, Service
from documents.api.finding import admin_scope, user_of
from oncall.api.errors import Conflict, Forbidden, invalid
from oncall.api.filters import CamelFilterSet
from oncall.api.owned import find_owned, scope_of
from oncall.api.pagination import one_page
from oncall.api.schema import errors
from oncall.owners import default_owner_id


class ServiceFilters(CamelFilterSet):
    name = django_filters.CharFilter()
    kind = django_filters.ChoiceFilter(choices=Service.Kind.choices)


def services() -> QuerySet[Service]:
    return Service.objects.prefetch_related("calls__callee")


@contextmanager
def service_refusals() -> Iterator[None]:
    try:
        yield
    except BadDefinition as bad:
        raise invalid(bad.field, bad.sentence) from None
    except ServiceConflict as conflict:
        raise Conflict(str(conflict)) from None
    except ObjectDoesNotExist:
        raise Forbidden from None


class ServicesView(ListAPIView):
    """The services that you may see, newest first."""

    serializer_class = ServiceSerializer
    filterset_class = ServiceFilters

    def get_queryset(self) -> QuerySet[Service]:
        return services().filter(owner_user_id__in=scope_of(self.request))

    @extend_schema(request=NewServiceSerializer, responses={201: ServiceSerializer, **errors(409)})
    def post(self, request: Request) -> Response:
        """A new service: your own, or that of a team (``ownerUserId``) whose admin you are."""
        body = NewServiceSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        values = dict(body.validated_data)
        owner = values.pop("owner_user_id", None) or default_owner_id(user_of(request))
        if owner not in admin_scope(request):
            raise Forbidden
        with service_refusals():
            service = create_service(owner_id=owner, values=values)
        return Response(ServiceSerializer(service).data, status=status.HTTP_201_CREATED)


class ServiceView(GenericAPIView):
    """One service."""

    serializer_class = ServiceSerializer

    def get(self, request: Request, service_id: str) -> Response:
        return Response(ServiceSerializer(find_owned(services(), service_id, scope_of(request))).data)

    @extend_schema(request=ServiceChangeSerializer, responses={200: ServiceSerializer, **errors(409)})
    def patch(self, request: Request, service_id: str) -> Response:
        """Change the service."""
        service = find_owned(Service.objects.all(), service_id, admin_scope(request))
        body = ServiceChangeSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        with service_refusals():
            return Response(ServiceSerializer(change_service(service.pk, values=body.validated_data)).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, service_id: str) -> Response:
        """Remove it with the calls to and from it; diagnoses keep what they found."""
        delete_service(find_owned(Service.objects.all(), service_id, admin_scope(request)).pk)
        return Response(status=status.HTTP_204_NO_CONTENT)


class CheckServiceView(GenericAPIView):
    """Which metric families of the service have data, in each enabled Prometheus of its owner, within 20 seconds."""

    serializer_class = FamilyChecksSerializer

    @extend_schema(request=None, responses={200: FamilyChecksSerializer})
    def post(self, request: Request, service_id: str) -> Response:
        service = find_owned(Service.objects.all(), service_id, scope_of(request, steer=True))
        sources = DataSource.objects.filter(
            owner_user_id=service.owner_user_id, kind=DataSource.Kind.PROMETHEUS, enabled=True
        )
        found = check_service(service, list(sources))
        return Response(one_page(list(FamilyCheckSerializer(found, many=True).data)))
