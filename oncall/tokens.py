"""Tokens for programs: made, found again from a header, limited to their owner, revoked. Knox hashes and compares."""

from datetime import datetime, timedelta
from hmac import compare_digest
from typing import Any

from django.contrib.auth import get_user_model
from django.db import DatabaseError
from django.db.models import Q, QuerySet
from django.utils import timezone
from knox.auth import TokenAuthentication as KnoxAuthentication
from knox.crypto import hash_token
from knox.models import get_digest_token
from knox.settings import CONSTANTS, knox_settings
from rest_framework.authentication import SessionAuthentication as DRFSessionAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.exceptions import PermissionDenied as DRFPermissionDenied
from rest_framework.request import Request
from structlog import get_logger

from oncall.api.errors import CsrfFailed, Forbidden
from oncall.models import Membership, Token, User
from oncall.owners import default_owner_id, owner_ids_with_role

log = get_logger(__name__)

LAST_USE_EVERY = timedelta(minutes=1)
BAD_TOKEN = "The token is not valid."


def create_token(
    user: User, *, name: str, scope: str = Token.Scope.FULL, owner_id: int | None = None, expiry: datetime | None = None
) -> tuple[Token, str]:
    """A new token of ``user`` and its text, which is shown this once and never stored.

    ``owner_id`` is the user or a team in which the user is admin (else ``Forbidden``); a request that itself came with
    a team's token makes tokens of that team. ``expiry`` None: it serves until it is revoked.
    """
    owner_id = owner_id or default_owner_id(user)
    if owner_id not in owner_ids_with_role(user, Membership.Role.ADMIN):
        raise Forbidden
    digest, text = get_digest_token()
    values = {"name": name, "scope": scope, "owner_id": owner_id, "expiry": expiry}
    key = text[: CONSTANTS.TOKEN_KEY_LENGTH]
    return Token.objects.create(user=user, digest=digest, token_key=key, **values), text


def create_login_token(user: User, *, now: datetime | None = None) -> tuple[Token, str]:
    """The token of a sign-in; it expires. Those of earlier sign-ins that have expired go."""
    now = now or timezone.now()
    Token.objects.filter(user=user, name="login", expiry__lt=now).delete()
    return create_token(user, name="login", expiry=now + knox_settings.TOKEN_TTL)


def manageable_tokens(user: User) -> QuerySet[Token]:
    """The tokens that ``user`` may list and revoke: those the user made, and those of teams the user is admin of."""
    tokens = Token.objects.filter(Q(user_id=user.pk) | Q(owner_id__in=owner_ids_with_role(user, Membership.Role.ADMIN)))
    return tokens if user.only_owner_id is None else tokens.filter(owner_id=user.only_owner_id)


def token_user(text: str, *, now: datetime | None = None) -> tuple[User, Token]:
    """Who acts with the token ``text``, limited to its owner; ``AuthenticationFailed`` when it does not serve."""
    now = now or timezone.now()
    token = _find(text)
    if token is None or token.expired(now) or not _may_act(token):
        raise AuthenticationFailed(BAD_TOKEN)
    _note_use(token, now=now)
    user: User = token.user
    if token.owner_id != user.pk:
        user.only_owner_id = token.owner_id
    return user, token


class TokenAuthentication(KnoxAuthentication):
    """``Authorization: Bearer …``. It comes first, so that an anonymous request gets its challenge and a 401."""

    def authenticate_header(self, request: Any) -> str:
        return "Bearer"

    def authenticate_credentials(self, token: bytes) -> tuple[User, Token]:
        try:
            return token_user(token.decode("ascii"))
        except UnicodeDecodeError:
            raise AuthenticationFailed(BAD_TOKEN) from None


class SessionAuthentication(DRFSessionAuthentication):
    """The session of the pages, with the CSRF check; a team has no session, whatever the row says."""

    def authenticate(self, request: Request) -> Any:
        found = super().authenticate(request)
        return found if found is not None and found[0].kind == User.Kind.PERSON else None

    def enforce_csrf(self, request: Request) -> None:
        try:
            super().enforce_csrf(request)
        except DRFPermissionDenied:
            raise CsrfFailed from None


def _find(text: str) -> Token | None:
    keyed = Token.objects.filter(token_key=text[: CONSTANTS.TOKEN_KEY_LENGTH]).select_related("user", "owner")
    try:
        digest = hash_token(text)
    except (TypeError, ValueError):
        return None
    return next((token for token in keyed if compare_digest(digest, token.digest)), None)


def _may_act(token: Token) -> bool:
    """An active person, and, for a team's token, still a member of that active team: looked up at every use."""
    if not token.user.is_active or token.user.kind != get_user_model().Kind.PERSON:
        return False
    if token.owner_id == token.user_id:
        return True
    return token.owner_id in owner_ids_with_role(token.user, Membership.Role.READER)


def _note_use(token: Token, *, now: datetime) -> None:
    """Write the last use, at most once a minute; a busy database is no reason to refuse a reader."""
    if token.last_used_at is not None and token.last_used_at > now - LAST_USE_EVERY:
        return
    try:
        Token.objects.filter(pk=token.pk).update(last_used_at=now)
    except DatabaseError as error:
        log.warning("token.last_use_not_written", token_id=token.pk, error_class=type(error).__name__)
