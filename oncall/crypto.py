"""Secrets that we must read again (keys of data sources): encrypted before they reach the database.

``ONCALL_ENCRYPTION_KEY`` holds one Fernet key, or several with commas: the first encrypts, all decrypt, so a key is
changed by putting the new one in front.
"""

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured


class CannotDecrypt(Exception):
    """None of the keys opens this text: it was encrypted with a key that is no longer set, or it is damaged."""


def encrypt(text: str) -> str:
    """``text`` as an ASCII token; twice the same text gives two tokens."""
    return _keys().encrypt(text.encode()).decode("ascii")


def decrypt(token: str) -> str:
    """The text of a token of ``encrypt``; ``CannotDecrypt`` when no key fits."""
    try:
        return _keys().decrypt(token.encode()).decode()
    except InvalidToken:
        raise CannotDecrypt("No key of ONCALL_ENCRYPTION_KEY opens this secret.") from None


def _keys() -> MultiFernet:
    keys = [key.strip() for key in settings.ONCALL_ENCRYPTION_KEY.split(",") if key.strip()]
    try:
        return MultiFernet([Fernet(key) for key in keys])
    except ValueError:
        raise ImproperlyConfigured("ONCALL_ENCRYPTION_KEY: each key must be 32 bytes in URL-safe base64.") from None
