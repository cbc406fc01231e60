"""Search: in one base, or in all that the caller may read. A POST, because a query may be long; it only reads."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from documents.api.finding import base_in_scope
from documents.api.serializers import HitSerializer, HitsSerializer, KnowledgeSearchSerializer, SearchSerializer
from documents.scope import SearchScope, scope_for
from documents.search import BadQuery, search
from oncall.api.errors import invalid
from oncall.api.owned import scope_of
from oncall.api.pagination import one_page
from oncall.api.permissions import READ


def _hits(scope: SearchScope, body: dict[str, Any]) -> Response:
    try:
        hits = search(scope, body["query"], limit=body["limit"], mode=body["mode"])
    except BadQuery as bad:
        raise invalid(bad.field, bad.sentence) from None
    return Response(one_page(list(HitSerializer(hits, many=True).data)))


class SearchBaseView(GenericAPIView):
    """Search one base."""

    token_scope = READ
    serializer_class = SearchSerializer

    @extend_schema(request=SearchSerializer, responses={200: HitsSerializer})
    def post(self, request: Request, base_id: str) -> Response:
        base = base_in_scope(request, base_id)
        body = SearchSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        found = body.validated_data
        ids = found.get("document_ids")
        return _hits(scope_for(scope_of(request), knowledge_base_ids=[base.pk], document_ids=ids), found)


class SearchKnowledgeView(GenericAPIView):
    """Search every base that you may read, or those of ``knowledgeBaseIds``."""

    token_scope = READ
    serializer_class = KnowledgeSearchSerializer

    @extend_schema(request=KnowledgeSearchSerializer, responses={200: HitsSerializer})
    def post(self, request: Request) -> Response:
        body = KnowledgeSearchSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        found = body.validated_data
        narrowed = {"knowledge_base_ids": found.get("knowledge_base_ids"), "document_ids": found.get("document_ids")}
        return _hits(scope_for(scope_of(request), **narrowed), found)
