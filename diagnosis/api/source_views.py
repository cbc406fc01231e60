"""The calls under ``/aiops/data-sources``: readers see, responders check, admins of a team and staff change."""

from collections.abc import Iterator, Set
from contextlib import contextmanager

from django.core.exceptions import ObjectDoesNotExist
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.generics import GenericAPIView, ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from diagnosis.api.source_serializers import (
    DataSourceChangeSerializer,
    DataSourceSerializer,
    NewDataSourceSerializer,
    SourceCheckSerializer,
)
from diagnosis.catalogue.checking import check_source
from diagnosis.datasources.protocol import SourceFailed
from diagnosis.models import DataSource
from diagnosis.sources import SourceConflict, change_source, create_source, delete_source
from documents.api.finding import admin_scope, user_of
from oncall.api.errors import Conflict, Forbidden, invalid
from oncall.api.owned import find_owned, scope_of
from oncall.api.schema import errors
from oncall.owners import default_owner_id


def source_admin_scope(request: Request) -> Set[int]:
    """The owners whose sources the caller may make and change: teams as their admin, and, for staff, oneself.

    A source makes this server connect somewhere, so not everybody who may sign in can name an address.
    """
    user = user_of(request)
    return admin_scope(request) - (frozenset() if user.is_staff else {user.pk})


@contextmanager
def source_refusals() -> Iterator[None]:
    try:
        yield
    except SourceFailed as failed:
        raise invalid("url", failed.sentence) from None
    except SourceConflict as conflict:
        raise Conflict(str(conflict)) from None
    except ObjectDoesNotExist:
        raise Forbidden from None


class DataSourcesView(ListAPIView):
    """The data sources that you may see, newest first."""

    serializer_class = DataSourceSerializer

    def get_queryset(self) -> QuerySet[DataSource]:
        return DataSource.objects.filter(owner_user_id__in=scope_of(self.request)).defer("recording")

    @extend_schema(request=NewDataSourceSerializer, responses={201: DataSourceSerializer, **errors(409)})
    def post(self, request: Request) -> Response:
        """A new source, of a team whose admin you are (``ownerUserId``) or, for staff, your own."""
        body = NewDataSourceSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        values = dict(body.validated_data)
        owner = values.pop("owner_user_id", None) or default_owner_id(user_of(request))
        if owner not in source_admin_scope(request):
            raise Forbidden
        with source_refusals():
            source = create_source(owner_id=owner, **values)
        return Response(DataSourceSerializer(source).data, status=status.HTTP_201_CREATED)


class DataSourceView(GenericAPIView):
    """One data source."""

    serializer_class = DataSourceSerializer

    def get(self, request: Request, source_id: str) -> Response:
        return Response(DataSourceSerializer(find_owned(DataSource.objects.all(), source_id, scope_of(request))).data)

    @extend_schema(request=DataSourceChangeSerializer, responses={200: DataSourceSerializer, **errors(409)})
    def patch(self, request: Request, source_id: str) -> Response:
        """Change it. With another scheme, host or port the stored secret is gone, unless a new one comes along."""
        source = find_owned(DataSource.objects.all(), source_id, source_admin_scope(request))
        body = DataSourceChangeSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        with source_refusals():
            return Response(DataSourceSerializer(change_source(source.pk, **body.validated_data)).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, source_id: str) -> Response:
        """Remove it; diagnoses keep what they found there."""
        delete_source(find_owned(DataSource.objects.all(), source_id, source_admin_scope(request)).pk)
        return Response(status=status.HTTP_204_NO_CONTENT)


class CheckDataSourceView(GenericAPIView):
    """Whether the source answers, within 20 seconds."""

    serializer_class = SourceCheckSerializer

    @extend_schema(request=None, responses={200: SourceCheckSerializer})
    def post(self, request: Request, source_id: str) -> Response:
        """Ask it the least that proves it is one. A failure is a result too: 200 with its class."""
        source = find_owned(DataSource.objects.all(), source_id, scope_of(request, steer=True))
        return Response(SourceCheckSerializer(check_source(source)).data)
