"""Which scripts, styles and hosts a page may use: one strict policy, and what the admin and the docs page need.

A header that a view has set itself (the download of a document) is left alone.
"""

from typing import Any

import django
from django.http import HttpRequest, HttpResponse

if django.VERSION >= (6,):
    from django.middleware.csp import ContentSecurityPolicyMiddleware as Middleware
else:
    from csp.middleware import CSPMiddleware as Middleware  # type: ignore[assignment]

SELF, NONE = "'self'", "'none'"
STRICT: dict[str, list[str]] = {
    "default-src": [SELF],
    "script-src": [SELF],
    "style-src": [SELF],
    "img-src": [SELF, "data:"],
    "object-src": [NONE],
    "base-uri": [NONE],
    "form-action": [SELF],
    "frame-ancestors": [NONE],
}
# Swagger's page and the browsable API carry inline styles, no inline scripts.
INLINE_STYLE = {**STRICT, "style-src": [SELF, "'unsafe-inline'"]}
# Unfold's Alpine evaluates the expressions in its attributes.
ADMIN = {**INLINE_STYLE, "script-src": [SELF, "'unsafe-inline'", "'unsafe-eval'"]}


def policy_for(request: HttpRequest, response: HttpResponse) -> dict[str, list[str]]:
    """The policy of one answer."""
    if request.path.startswith("/admin/"):
        return ADMIN
    if hasattr(response, "accepted_renderer"):
        return INLINE_STYLE
    return STRICT


class ContentPolicy(Middleware):
    """Chooses the policy; Django 6 or django-csp writes the header."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> Any:
        policy = policy_for(request, response)
        # The name that Django 6 and django-csp both read.
        response._csp_config = policy  # type: ignore[attr-defined]
        return super().process_response(request, response)
