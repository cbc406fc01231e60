"""Cursor pages: ``{next, previous, results}``, 50 rows, at most 200.

A cursor holds the ordering columns of the row it stands at, so a page costs the same at row 10 and at row 10 million,
and rows that share a time are neither lost nor doubled.
"""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.core.exceptions import FieldDoesNotExist
from django.core.exceptions import ValidationError as DjangoValidationError
from django.db.models import F, Model, Q, QuerySet
from django.utils.timezone import is_naive
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import remove_query_param, replace_query_param

from oncall.api.errors import invalid
from oncall.api.fields import is_storable

PAGE_SIZE = 50
MAX_PAGE_SIZE = 200
NEWEST_FIRST = ("-created_at", "-id")
# What every list takes, beside its own filters; ``format`` is the browsable API's.
PAGE_PARAMETERS = frozenset({"cursor", "limit", "format"})


@dataclass(frozen=True)
class Cursor:
    position: list[Any]
    backwards: bool


class CursorPages(BasePagination):
    """Reads ``view.ordering``: columns of one direction, together unique; newest first when the view names none."""

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        self.request = request
        self.ordering: Sequence[str] = getattr(view, "ordering", None) or NEWEST_FIRST
        cursor = _read_cursor(request, queryset.model, self.ordering)
        size = _read_limit(request)
        backwards = cursor is not None and cursor.backwards
        rows = list(_after(queryset, cursor, self.ordering)[: size + 1])
        more, rows = len(rows) > size, rows[:size]
        self.rows = rows[::-1] if backwards else rows
        self.has_next = more if not backwards else True
        self.has_previous = more if backwards else cursor is not None
        self.display_page_controls = self.has_next or self.has_previous
        return self.rows

    def get_paginated_response(self, data: Any) -> Response:
        return Response({"next": self.get_next_link(), "previous": self.get_previous_link(), "results": data})

    def get_next_link(self) -> str | None:
        return self._link(self.rows[-1], backwards=False) if self.has_next and self.rows else None

    def get_previous_link(self) -> str | None:
        return self._link(self.rows[0], backwards=True) if self.has_previous and self.rows else None

    def _link(self, row: Any, *, backwards: bool) -> str:
        position = [_plain(getattr(row, name.lstrip("-"))) for name in self.ordering]
        text = json.dumps([int(backwards), *position], separators=(",", ":"))
        cursor = urlsafe_b64encode(text.encode()).decode().rstrip("=")
        url = remove_query_param(self.request.build_absolute_uri(), "cursor")
        return replace_query_param(url, "cursor", cursor)

    def to_html(self) -> str:
        from django.template.loader import render_to_string

        links = {"previous_url": self.get_previous_link(), "next_url": self.get_next_link()}
        return render_to_string("rest_framework/pagination/previous_and_next.html", links)

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        link = {"type": ["string", "null"], "format": "uri"}
        properties = {"next": link, "previous": link, "results": schema}
        return {"type": "object", "required": list(properties), "properties": properties}

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        limit = {"type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE, "default": PAGE_SIZE}
        return [
            {"name": "cursor", "in": "query", "required": False, "schema": {"type": "string"},
             "description": "The place to go on from: follow `next` and `previous`."},
            {"name": "limit", "in": "query", "required": False, "schema": limit, "description": "Rows of one page."},
        ]  # fmt: skip


def one_page(results: Sequence[Any]) -> dict[str, Any]:
    """The list shape for an answer that has no further page (search hits)."""
    return {"next": None, "previous": None, "results": list(results)}


def _read_limit(request: Request) -> int:
    text = request.query_params.get("limit", str(PAGE_SIZE))
    if not (text.isascii() and text.isdigit() and len(text) < 5 and 1 <= int(text) <= MAX_PAGE_SIZE):
        raise invalid("limit", f"Must be a whole number from 1 to {MAX_PAGE_SIZE}.")
    return int(text)


def _read_cursor(request: Request, model: type[Model], ordering: Sequence[str]) -> Cursor | None:
    text = request.query_params.get("cursor")
    if text is None:
        return None
    try:
        backwards, *position = json.loads(urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4)))
        if backwards not in (0, 1) or len(position) != len(ordering):
            raise ValueError("not a cursor of this list")
        columns = [name.lstrip("-") for name in ordering]
        return Cursor([_value(model, c, v) for c, v in zip(columns, position, strict=True)], bool(backwards))
    except (ValueError, TypeError, OverflowError, RecursionError, DjangoValidationError, FieldDoesNotExist):
        raise invalid("cursor", "This is no cursor of this list: follow the links of a page.") from None


def _value(model: type[Model], column: str, value: Any) -> Any:
    """``value`` as the column's type; anything that no link of ours can carry is a ``ValueError``."""
    if not isinstance(value, (str, int)) or isinstance(value, bool):
        raise ValueError("not a position")
    field: Any = model._meta.get_field(column)
    found = field.to_python(value)
    field.run_validators(found)
    if isinstance(found, datetime):
        if is_naive(found):
            raise ValueError("a time without its zone")
        # An OverflowError is a bad cursor here; in the query it would be an error of ours.
        found = found.astimezone(UTC)
    if found is None or (isinstance(found, str) and not is_storable(found)):
        raise ValueError("not a position")
    return found


def _after(queryset: QuerySet[Any], cursor: Cursor | None, ordering: Sequence[str]) -> QuerySet[Any]:
    descending = ordering[0].startswith("-") is not (cursor is not None and cursor.backwards)
    columns = [name.lstrip("-") for name in ordering]
    ordered = queryset.order_by(*[F(name).desc() if descending else F(name).asc() for name in columns])
    return (
        ordered if cursor is None else ordered.filter(_beyond(columns, cursor.position, "lt" if descending else "gt"))
    )


def _beyond(columns: list[str], position: list[Any], than: str) -> Q:
    """(a, b) < (x, y) as ``a <= x AND (a < x OR b < y)``: the first half lets the index find its place."""
    (column, *columns), (value, *position) = columns, position
    strictly = Q(**{f"{column}__{than}": value})
    if not columns:
        return strictly
    return Q(**{f"{column}__{than}e": value}) & (strictly | _beyond(columns, position, than))


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
