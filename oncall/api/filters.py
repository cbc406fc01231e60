"""Filters of lists: an unknown one and a bad value are 400 and named; a typo never widens a list in silence."""

from datetime import UTC
from typing import Any

from django import forms
from django.db.models import QuerySet
from django_filters import rest_framework as django_filters
from django_filters.fields import IsoDateTimeField
from rest_framework.request import Request

from oncall.api.errors import refuse_unknown_parameters
from oncall.api.naming import camel_case
from oncall.api.pagination import PAGE_PARAMETERS


class CamelFilterSet(django_filters.FilterSet):
    """Declared as ``resource_type``, asked for as ``resourceType``."""

    @classmethod
    def get_filters(cls) -> dict[str, Any]:
        return {camel_case(name): found for name, found in super().get_filters().items()}


class _MomentField(IsoDateTimeField):
    def clean(self, value: Any) -> Any:
        try:
            moment = super().clean(value)
            return moment if moment is None else moment.astimezone(UTC)
        except OverflowError:
            raise forms.ValidationError("This time is out of range.") from None


class MomentFilter(django_filters.IsoDateTimeFilter):
    """An ISO 8601 time; without a zone it is UTC."""

    field_class = _MomentField


class StrictFilterBackend(django_filters.DjangoFilterBackend):
    """Applies ``view.filterset_class`` and refuses every parameter that neither it nor the pages know.

    A view with parameters of its own names them in ``extra_parameters``.
    """

    def filter_queryset(self, request: Request, queryset: QuerySet[Any], view: Any) -> QuerySet[Any]:
        filterset = self.get_filterset(request, queryset, view)
        known = set(filterset.filters) if filterset is not None else set()
        refuse_unknown_parameters(request, known | PAGE_PARAMETERS | set(getattr(view, "extra_parameters", ())))
        filtered: QuerySet[Any] = super().filter_queryset(request, queryset, view)
        return filtered
