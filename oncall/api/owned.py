"""How every view finds a row: inside the scope of the request, or not at all.

A row of somebody else and a row that does not exist give the same answer, byte for byte, on every verb.
"""

from collections.abc import Collection, Set
from typing import Any, TypeVar

from django.conf import settings
from django.db.models import Model, QuerySet
from django.utils.module_loading import import_string
from rest_framework.request import Request

from oncall.api.errors import Forbidden
from oncall.api.fields import is_storable

Row = TypeVar("Row", bound=Model)
LONGEST_ID = 200


def scope_of(request: Request, *, steer: bool = False) -> Set[int]:
    """The ids of the owners whose rows this request may see (``steer``: may also change), token limits included."""
    owner_ids: Set[int] = import_string(settings.JOBS_OWNER_SCOPE)(request.user, steer=steer)
    return owner_ids


def find_owned(
    queryset: QuerySet[Row], pk: Any, owner_ids: Collection[int], *, owner_field: str = "owner_user_id"
) -> Row:
    """The row ``pk`` if one of ``owner_ids`` owns it; else ``Forbidden``, whatever the reason, whatever ``pk`` is."""
    return find_row(queryset.filter(**{f"{owner_field}__in": owner_ids}), pk)


def find_row(scoped: QuerySet[Row], pk: Any) -> Row:
    """The same for rows that are already narrowed to what the caller may reach."""
    if len(str(pk)) > LONGEST_ID or not is_storable(str(pk)):
        raise Forbidden
    try:
        row = scoped.filter(pk=pk).first()
    except (ValueError, TypeError, OverflowError):
        raise Forbidden from None
    if row is None:
        raise Forbidden
    return row
