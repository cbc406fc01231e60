"""The one error shape: ``{"type": …, "errors": [{"code", "detail", "attr"}]}``, with the codes of the HTTP interface.

No body carries a trace, a query or a secret: what is not known here becomes a plain 500. ``oncall.api.handling`` turns
exceptions of API views into these; it is apart, because it imports the views of Django REST Framework, which import the
authenticators, which import this.
"""

from collections.abc import Collection
from typing import Any, Literal

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.core.exceptions import ValidationError as DjangoValidationError
from django.db import DataError, InterfaceError, OperationalError
from django.http import JsonResponse
from rest_framework import exceptions, status
from rest_framework.fields import get_error_detail
from rest_framework.request import Request

CODES = {
    400: "VALIDATION_INVALID_ARGUMENT",
    401: "AUTH_UNAUTHENTICATED",
    403: "AUTH_FORBIDDEN",
    404: "NOT_FOUND",
    405: "METHOD_NOT_ALLOWED",
    406: "NOT_ACCEPTABLE",
    409: "CONFLICT",
    413: "PAYLOAD_TOO_LARGE",
    415: "UNSUPPORTED_MEDIA_TYPE",
    429: "RATE_LIMIT_EXCEEDED",
    500: "SYSTEM_INTERNAL_ERROR",
    503: "SYSTEM_UNAVAILABLE",
}
DETAILS = {
    400: "The request is malformed.",
    401: "Sign in, or send a valid token.",
    403: "You may not do this, or it does not exist.",
    404: "There is no such address.",
    405: "This address does not take this method.",
    406: "This address cannot answer in a type that you accept.",
    409: "The state of the row does not allow this.",
    413: "The request is larger than this address takes.",
    415: "This address does not take this type of body.",
    429: "Too many attempts. Try again later.",
    500: "The server met an error. It is in the log under this request's id.",
    503: "The database is not available. Try again in a moment.",
}
# What the database raises when it is away, locked, restarting or not migrated: none of it is the caller's fault.
UNAVAILABLE = (OperationalError, InterfaceError)


class Forbidden(exceptions.PermissionDenied):
    """403, always with the same bytes: not yours, does not exist, or your role or token is too small."""

    def __init__(self) -> None:
        super().__init__(detail=DETAILS[403])


class CsrfFailed(exceptions.PermissionDenied):
    """403 for a signed-in browser whose request carries no CSRF token; decided before any row is looked up."""

    default_detail = "The CSRF check failed: send the token of the csrftoken cookie as X-CSRFToken."


class Conflict(exceptions.APIException):
    """409: the verb does not fit the row's state. ``detail`` names what stands in the way."""

    status_code = status.HTTP_409_CONFLICT
    default_detail = DETAILS[409]


class PayloadTooLarge(exceptions.APIException):
    """413: a part of the body (the file) is over its own limit."""

    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_detail = DETAILS[413]


class RateLimited(exceptions.Throttled):
    """429 with ``Retry-After``: ``wait`` is in seconds."""

    def __init__(self, detail: str, *, wait: int) -> None:
        super().__init__()
        self.detail = exceptions.ErrorDetail(detail, self.default_code)
        self.wait = wait


class Unavailable(exceptions.APIException):
    """503: the database or a store does not answer."""

    status_code = status.HTTP_503_SERVICE_UNAVAILABLE
    default_detail = DETAILS[503]


def invalid(attr: str, detail: str) -> exceptions.ValidationError:
    """400 that names one field, filter or parameter: ``raise invalid("cursor", "…")``."""
    return exceptions.ValidationError({attr: [detail]})


def error_body(status_code: int, detail: str | None = None, attr: str | None = None) -> dict[str, Any]:
    """The error shape for one error, for answers made outside Django REST Framework."""
    error = {"code": CODES[status_code], "detail": detail or DETAILS[status_code], "attr": attr}
    return {"type": error_type(status_code), "errors": [error]}


def error_response(status_code: int, detail: str | None = None, attr: str | None = None) -> JsonResponse:
    """A whole answer in the error shape; a 401 carries the challenge."""
    response = JsonResponse(error_body(status_code, detail, attr), status=status_code)
    if status_code == 401:
        response["WWW-Authenticate"] = "Bearer"
    return response


def as_api_error(error: BaseException) -> exceptions.APIException | None:
    """The API error that ``error`` (of Django, of a database) stands for; ``None`` when it is an error of ours."""
    if isinstance(error, exceptions.APIException):
        return error
    if isinstance(error, UNAVAILABLE):
        return Unavailable()
    if isinstance(error, DjangoValidationError):
        return exceptions.ValidationError(get_error_detail(error))
    if isinstance(error, RequestDataTooBig):
        return PayloadTooLarge()
    if isinstance(error, (SuspiciousOperation, DataError)):
        # DataError: a value that the column cannot hold and that no validator had met.
        return exceptions.ParseError(DETAILS[400])
    return None


def refuse_unknown_parameters(request: Request, allowed: Collection[str]) -> None:
    """400 naming the first query parameter that this address does not take."""
    for name in request.query_params:
        if name not in allowed:
            raise invalid(name, "This parameter is not known here.")


def error_type(status_code: int) -> Literal["validation_error", "client_error", "server_error"]:
    if status_code == 400:
        return "validation_error"
    return "client_error" if status_code < 500 else "server_error"
