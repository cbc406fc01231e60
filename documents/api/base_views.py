"""The calls under ``/knowledge-bases``: readers see, admins of the owner make, change and delete."""

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.generics import GenericAPIView, ListAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from documents.api.finding import admin_scope, base_in_scope, refusals, user_of
from documents.api.serializers import KnowledgeBaseChangeSerializer, KnowledgeBaseSerializer
from documents.bases import change_base, create_base, ensure_default_bases
from documents.models import KnowledgeBase
from documents.transitions import delete_base
from oncall.api.errors import Forbidden
from oncall.api.owned import find_owned, scope_of
from oncall.api.schema import errors
from oncall.owners import default_owner_id


class KnowledgeBasesView(ListAPIView):
    """The bases that you may search, newest first; every owner has a default one."""

    serializer_class = KnowledgeBaseSerializer

    def get_queryset(self) -> QuerySet[KnowledgeBase]:
        owners = scope_of(self.request)
        ensure_default_bases(owners)
        return KnowledgeBase.objects.filter(owner_user_id__in=owners)

    @extend_schema(responses={201: KnowledgeBaseSerializer, **errors(409)})
    def post(self, request: Request) -> Response:
        """A new base: your own, or that of an owner (``ownerUserId``) whose admin you are."""
        body = KnowledgeBaseSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        values = dict(body.validated_data)
        owner = values.pop("owner_user_id", None) or default_owner_id(user_of(request))
        if owner not in admin_scope(request):
            raise Forbidden
        with refusals():
            base = create_base(owner_id=owner, **values)
        return Response(KnowledgeBaseSerializer(base).data, status=status.HTTP_201_CREATED)


class KnowledgeBaseView(GenericAPIView):
    """One base."""

    serializer_class = KnowledgeBaseSerializer

    def get(self, request: Request, base_id: str) -> Response:
        return Response(KnowledgeBaseSerializer(base_in_scope(request, base_id)).data)

    @extend_schema(request=KnowledgeBaseChangeSerializer, responses={200: KnowledgeBaseSerializer, **errors(409)})
    def patch(self, request: Request, base_id: str) -> Response:
        """Change the name or the description."""
        base = find_owned(KnowledgeBase.objects.all(), base_id, admin_scope(request))
        body = KnowledgeBaseChangeSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        with refusals():
            return Response(KnowledgeBaseSerializer(change_base(base.pk, **body.validated_data)).data)

    @extend_schema(responses={204: None, **errors(409)})
    def delete(self, request: Request, base_id: str) -> Response:
        """Remove the base with its documents; index jobs of theirs are cancelled. The default base stays: 409."""
        base = find_owned(KnowledgeBase.objects.all(), base_id, admin_scope(request))
        with refusals():
            delete_base(base.pk)
        return Response(status=status.HTTP_204_NO_CONTENT)
