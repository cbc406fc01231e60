"""What we must read again is stored under a key that can be changed without losing what is stored."""

from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.apps import apps
from django.core.exceptions import ImproperlyConfigured

from oncall.crypto import CannotDecrypt, decrypt, encrypt


def test_there_and_back() -> None:
    token = encrypt("kennwort: schlüssel 钥匙")
    assert "kennwort" not in token
    assert decrypt(token) == "kennwort: schlüssel 钥匙"


def test_a_new_key_in_front_still_opens_the_old(settings: Any) -> None:
    old = encrypt("x")
    settings.ONCALL_ENCRYPTION_KEY = f"{Fernet.generate_key().decode()},{settings.ONCALL_ENCRYPTION_KEY}"
    assert decrypt(old) == "x"
    new = encrypt("y")
    settings.ONCALL_ENCRYPTION_KEY = settings.ONCALL_ENCRYPTION_KEY.split(",")[0]
    assert decrypt(new) == "y"
    with pytest.raises(CannotDecrypt):
        decrypt(old)


def test_a_damaged_text_is_said_to_be_one() -> None:
    with pytest.raises(CannotDecrypt):
        decrypt("not a token")


@pytest.mark.parametrize("key", ["", "short", "é", "a,b"])
def test_a_bad_key_is_named_at_the_start(settings: Any, key: str) -> None:
    settings.ONCALL_ENCRYPTION_KEY = key
    with pytest.raises(ImproperlyConfigured, match="ONCALL_ENCRYPTION_KEY"):
        apps.get_app_config("oncall").ready()
