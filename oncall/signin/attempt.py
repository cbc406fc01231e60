"""One attempt to sign in, the same for the API and the page."""

import math
import unicodedata

from django.contrib.auth import authenticate
from django.contrib.auth.backends import ModelBackend
from django.http import HttpRequest
from structlog import get_logger

from oncall.models import User
from oncall.signin.address import throttled_address
from oncall.signin.throttle import admit, forget

log = get_logger(__name__)


class TooManyAttempts(Exception):
    """This user name has failed too often from this address; ``wait`` says for how many seconds."""

    def __init__(self, wait: int) -> None:
        self.wait = wait
        super().__init__(self.text)

    @property
    def text(self) -> str:
        wait = f"{self.wait} seconds" if self.wait < 120 else f"{math.ceil(self.wait / 60)} minutes"
        return f"Too many failed attempts from this address. Try again in {wait}."


class PersonBackend(ModelBackend):
    """Passwords are for active persons: a team never signs in, whatever its row says."""

    def user_can_authenticate(self, user: User) -> bool:  # type: ignore[override]
        return user.kind == User.Kind.PERSON and super().user_can_authenticate(user)


def sign_in(request: HttpRequest, *, username: str, password: str) -> User | None:
    """The user, or None for a wrong name or password (which of them is not told; both cost one hash).

    Raises ``TooManyAttempts``; then nothing was checked.
    """
    username = unicodedata.normalize("NFKC", username)
    address = throttled_address(request)
    if wait := admit(address, username):
        log.warning("signin.throttled", address=address, wait_seconds=wait)
        raise TooManyAttempts(wait)
    user = authenticate(request, username=username, password=password)
    if not isinstance(user, User):
        log.warning("signin.failed", address=address)
        return None
    forget(address, username)
    return user
