"""Filters whose choices cost no query: a SELECT DISTINCT over all jobs would read every row."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from jobs.handlers import registered_kinds


class KindFilter(admin.SimpleListFilter):
    """The kinds that have a handler, and the one that the address asks for."""

    title = "kind"
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        asked = request.GET.get(self.parameter_name)
        return [(kind, kind) for kind in sorted({*registered_kinds(), *([asked] if asked else [])})]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset if self.value() is None else queryset.filter(kind=self.value())
