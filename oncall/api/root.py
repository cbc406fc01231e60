"""The way in: what collections there are, for whoever looks, and the page that shows the schema."""

from collections.abc import Iterator
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from oncall.api.errors import refuse_unknown_parameters
from oncall.api.permissions import READ


class ApiRoot(APIView):
    """The collections of this installation, and the search over all of it (a POST).

    The schema is at /api/schema, a page to read it at /api/docs.
    """

    permission_classes = [AllowAny]

    @extend_schema(exclude=True)
    def get(self, request: Request) -> Response:
        paths = sorted({path for path in _collections(get_resolver().url_patterns) if path != "api"})
        return Response({path: request.build_absolute_uri(f"/{path}") for path in paths})


class SchemaView(SpectacularAPIView):
    permission_classes = [AllowAny]
    authentication_classes: list[Any] = []

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        # There is one version; a ``version`` from the address would go unchecked into a header.
        refuse_unknown_parameters(request, ("format", "lang"))
        return super().get(request, *args, **kwargs)


class DocsView(SpectacularSwaggerSplitView):
    template_name = "oncall/api_docs.html"
    permission_classes = [AllowAny]
    authentication_classes: list[Any] = []


def _collections(patterns: list[URLPattern | URLResolver], prefix: str = "") -> Iterator[str]:
    """Every path without a parameter whose API view reads: it answers GET, or is a POST that only reads (a search)."""
    for pattern in patterns:
        path = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _collections(pattern.url_patterns, path)
        elif "<" not in path and "^" not in path and _reads(pattern.callback):
            yield path


def _reads(callback: Any) -> bool:
    view = getattr(callback, "cls", None)
    if view is None or not issubclass(view, APIView):
        return False
    answers_get = "get" in (getattr(callback, "actions", None) or {}) or hasattr(view, "get")
    return answers_get or getattr(view, "token_scope", None) == READ
