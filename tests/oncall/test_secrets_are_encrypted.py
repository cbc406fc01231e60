"""What we must read again is stored under a key that can be changed without losing what is stored."""

from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core.checks import run_checks
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


@pytest.mark.django_db
@pytest.mark.parametrize("key", ["", "short", "é", "a,b"])
def test_a_bad_key_is_named_at_the_start(settings: Any, key: str) -> None:
    settings.ONCALL_ENCRYPTION_KEY = key
    with pytest.raises(ImproperlyConfigured, match="ONCALL_ENCRYPTION_KEY"):
        encrypt("x")
    assert "oncall.E001" in {message.id for message in run_checks()}


@pytest.mark.django_db
def test_a_bad_proxy_is_named_at_the_start(settings: Any) -> None:
    settings.ONCALL_TRUSTED_PROXIES = ["10.0.0.0/8", "my-proxy"]
    errors = [str(message) for message in run_checks() if message.id == "oncall.E002"]
    assert len(errors) == 1 and "my-proxy" in errors[0]
