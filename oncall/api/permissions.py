"""What a token may do. A session may do all that its user may; a token only what its scope takes in."""

from typing import Any

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

FULL = "full"
READ = "read"
ALERTS_WRITE = "alerts:write"
CHANGES_WRITE = "changes:write"
SCOPES = (FULL, READ, ALERTS_WRITE, CHANGES_WRITE)


def scope_needed(request: Request, view: Any) -> str:
    """The scope that ``view`` names in ``token_scope``; without one, ``read`` for safe methods and ``full`` else.

    A viewset that has ``token_scope: str | None = None`` may set it for one action: ``@action(token_scope=READ)``.
    """
    return getattr(view, "token_scope", None) or (READ if request.method in SAFE_METHODS else FULL)


class HasScope(BasePermission):
    """The default permission: signed in, and with a token whose scope is enough. An ingest scope opens only its own."""

    def has_permission(self, request: Request, view: Any) -> bool:
        if not (request.user and request.user.is_authenticated):
            return False
        held = FULL if request.auth is None else getattr(request.auth, "scope", None)
        return held == FULL or held == scope_needed(request, view)
