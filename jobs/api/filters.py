"""What a list of jobs can be narrowed to."""

import django_filters

from jobs.states import STATUSES
from oncall.api.filters import CamelFilterSet, MomentFilter


class JobFilters(CamelFilterSet):
    status = django_filters.ChoiceFilter(choices=[(status, status) for status in STATUSES])
    kind = django_filters.CharFilter(max_length=100)
    resource_type = django_filters.CharFilter(max_length=100)
    resource_id = django_filters.CharFilter(max_length=100)
    created_after = MomentFilter(field_name="created_at", lookup_expr="gt")
    created_before = MomentFilter(field_name="created_at", lookup_expr="lt")
