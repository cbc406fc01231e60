"""A source's secret: a bearer token, or a user name with its password. Encrypted in its column, never shown again."""

import json
from collections.abc import Generator
from dataclasses import dataclass

import httpx

from diagnosis.datasources.protocol import UNAUTHORISED, SourceFailed
from oncall.crypto import CannotDecrypt, decrypt, encrypt


@dataclass(frozen=True, slots=True)
class Bearer(httpx.Auth):
    token: str

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        request.headers["Authorization"] = f"Bearer {self.token}"
        yield request


def seal(*, bearer_token: str = "", username: str = "", password: str = "") -> str:
    """What is stored: the token if there is one, else name and password."""
    return encrypt(json.dumps({"bearer": bearer_token} if bearer_token else {"basic": [username, password]}))


def unseal(secret: str) -> httpx.Auth | None:
    """How a request proves itself; None without a secret. Raises ``SourceFailed`` when no key opens it."""
    if not secret:
        return None
    try:
        held = json.loads(decrypt(secret))
    except CannotDecrypt:
        raise SourceFailed(UNAUTHORISED, "The stored secret was encrypted with another key; set it again.") from None
    return Bearer(held["bearer"]) if "bearer" in held else httpx.BasicAuth(*held["basic"])
