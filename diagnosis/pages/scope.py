"""Rows that whoever looks may see or change; for everybody else there is no such page."""

from collections.abc import Set
from typing import TypeVar

from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest

from oncall.api.errors import Forbidden
from oncall.api.owned import find_owned
from oncall.models import User
from oncall.owners import visible_owner_ids

Row = TypeVar("Row", bound=Model)


def owners_seen_by(request: HttpRequest, *, steer: bool = False) -> Set[int]:
    """The owners whose rows this visitor may see (``steer``: may also change); nobody's where nobody is signed in."""
    return visible_owner_ids(user_of(request), steer=steer) if request.user.is_authenticated else frozenset()


def owned_or_404(request: HttpRequest, rows: QuerySet[Row], pk: str, *, steer: bool = False) -> Row:
    """The row, or the one 404 page: for a row of somebody else, for one that never was, for a change by a reader."""
    try:
        return find_owned(rows, pk, owners_seen_by(request, steer=steer))
    except Forbidden:
        raise Http404 from None


def user_of(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # Behind login_required.
    return request.user
