"""Rows that whoever looks may see or change; for everybody else there is no such page."""

from typing import TypeVar

from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest

from oncall.api.errors import Forbidden
from oncall.api.owned import find_owned
from oncall.models import User
from oncall.owners import visible_owner_ids

Row = TypeVar("Row", bound=Model)


def user_of(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # Behind login_required.
    return request.user


def steerable_or_404(request: HttpRequest, rows: QuerySet[Row], pk: str, *, owner_field: str = "owner_user_id") -> Row:
    """The row, if the visitor may change it; the one 404 for a reader, for an outsider and for a row that never was."""
    try:
        return find_owned(rows, pk, visible_owner_ids(user_of(request), steer=True), owner_field=owner_field)
    except Forbidden:
        raise Http404 from None
