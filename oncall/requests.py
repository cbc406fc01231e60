"""Around every request: its id, and the one error shape for answers that no API view made."""

import re
from collections.abc import Callable, Iterable, Iterator
from uuid import uuid4

from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver, get_resolver
from structlog.contextvars import bind_contextvars

from oncall.api.errors import CODES, error_response

# The first part of every page's path; all other paths are the API's.
PAGES = frozenset(
    {"", "accounts", "admin", "diagnoses", "incidents", "jobs", "knowledge", "settings", "state", "static", "upload"}
)
_SANE_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")

Handler = Callable[[HttpRequest], HttpResponse]


def is_page(path: str) -> bool:
    """Whether ``path`` is for people (HTML errors) and not for programs (the error shape)."""
    return path.lstrip("/").split("/", 1)[0] in PAGES


def wants_page(request: HttpRequest) -> bool:
    """Whether a failure of ``request`` is told as a page: on paths for people; where no path of the API begins like
    this one, to whoever asks for HTML by name (a browser that was given a wrong address).
    """
    if is_page(request.path):
        return True
    unknown = _beginning(request.path) not in {_beginning(path) for path in _paths(get_resolver().url_patterns)}
    return unknown and "text/html" in request.headers.get("Accept", "")


def _beginning(path: str) -> str:
    return re.split(r"[/:<]", path.lstrip("/"), maxsplit=1)[0]


def _paths(patterns: Iterable[URLPattern | URLResolver], prefix: str = "") -> Iterator[str]:
    for pattern in patterns:
        path = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver) and not _beginning(path):
            yield from _paths(pattern.url_patterns, path)
        else:
            yield path


def request_id_of(sent: str | None) -> str:
    """The caller's id when it is a sane one, so that logs join across hops; else a new one."""
    return sent if sent and _SANE_ID.fullmatch(sent) else uuid4().hex


def request_id(get_response: Handler) -> Handler:
    """Outermost middleware: ``X-Request-ID`` on every answer and in every log line of the request."""

    def handle(request: HttpRequest) -> HttpResponse:
        found = request_id_of(request.headers.get("X-Request-ID"))
        # Not unbound afterwards: Django logs a 404 when the middleware has returned. The next request binds its own.
        bind_contextvars(request_id=found)
        response = get_response(request)
        response["X-Request-ID"] = found
        return response

    return handle


def error_shape(get_response: Handler) -> Handler:
    """Gives the error shape to bare answers of plain Django views on API paths (a 405 of ``require_GET``)."""

    def handle(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if response.status_code not in CODES or wants_page(request) or hasattr(response, "accepted_renderer"):
            return response
        if response.headers.get("Content-Type", "").startswith("application/json"):
            return response
        shaped = error_response(response.status_code)
        if "Allow" in response:
            shaped["Allow"] = response["Allow"]
        return shaped

    return handle
