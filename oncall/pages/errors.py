"""``handler400`` to ``handler500`` and the CSRF failure: the error shape for programs, a plain page for people."""

import sys
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from oncall.api.errors import DETAILS, UNAVAILABLE, CsrfFailed, as_api_error, error_response
from oncall.requests import wants_page

TITLES = {
    400: "That request was not understood",
    403: "Not allowed",
    404: "Nothing is here",
    413: "That is too large",
    500: "Something went wrong",
    503: "Not available just now",
}


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    known = as_api_error(exception)
    return _answer(request, known.status_code if known is not None else 400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, 403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    return _answer(request, 503 if isinstance(sys.exc_info()[1], UNAVAILABLE) else 500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    if wants_page(request):
        return _answer(request, 403, "This form has expired. Go back, reload the page and send it again.")
    return _answer(request, 403, str(CsrfFailed.default_detail))


def _answer(request: HttpRequest, status: int, detail: str | None = None) -> HttpResponse:
    if not wants_page(request):
        return error_response(status, detail)
    return error_page(status, detail)


def error_page(status: int, detail: str | None = None) -> HttpResponse:
    """The page for people; it asks nothing of the database."""
    context: dict[str, Any] = {
        "status": status,
        "title": TITLES.get(status, TITLES[400]),
        "detail": detail or DETAILS[status],
    }
    # Without the request: a context processor that reads the session would fail again when the database is away.
    return render(None, "oncall/error.html", context, status=status)
