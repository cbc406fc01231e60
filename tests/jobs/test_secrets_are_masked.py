"""One mask over everything an attempt leaves for people to read; a payload is the handler's and stays as it is."""

import json
import time
from typing import Any

import pytest
from django.conf import settings as project
from hypothesis import given
from hypothesis import strategies as st

from jobs import masking
from jobs.masking import mask_json, mask_text
from jobs.testing import registered, run_one
from tests.jobs.steps import NOON, queue, row, take_one

SECRETS = {
    "URL": ("GET https://user:hunter2@host.example/x?y=1", "hunter2"),
    "URL with an at sign in the password": ("postgres://me:hunt@er2@db:5432/x", "er2"),
    "URL with a user only": ("git+ssh://hunter2@host.example/x", "hunter2"),
    "Bearer": ("Authorization: Bearer hunter2.abc-def", "hunter2"),
    "bearer": ("sent authorization=bearer hunter2", "hunter2"),
    "Basic": ("Authorization: Basic aHVudGVyMg==", "aHVudGVyMg"),
    "key=": ("?key=hunter2&x=1", "hunter2"),
    "api_key=": ("api_key=hunter2", "hunter2"),
    "apiKey=": ("apiKey = hunter2", "hunter2"),
    "access-token=": ("access-token=hunter2", "hunter2"),
    "token=": ("token=hunter2;", "hunter2"),
    "client_secret=": ("client_secret='hunter2'", "hunter2"),
    "password=": ('password="hunter2"', "hunter2"),
    "password with blanks": ('password="correct hunter2 battery"', "hunter2"),
    "PASSWD=": ("PASSWD=hunter2", "hunter2"),
    "password:": ("password: hunter2", "hunter2"),
    "in JSON": ('{"api_key": "hunter2", "n": 1}', "hunter2"),
    "camel case in JSON": ('{"clientSecret": "hunter2", "n": 1}', "hunter2"),
    "JSON with blanks": ('{"password": "correct hunter2 battery"}', "hunter2"),
    "JSON in JSON": (json.dumps(json.dumps({"password": "correct hunter2"})), "hunter2"),
    "JSON with quotes": (json.dumps({"password": 'cor"rect hunter2'}), "hunter2"),
    "Python's dict": ("{'refresh_token': 'hunter2'}", "hunter2"),
    "password in prose": ("login with password hunter2 failed", "hunter2"),
    "token in prose": ("the token is 'hunter2!', says the log", "hunter2"),
    "a long token in prose": (f"token {'hunter' * 5} was refused", "hunter"),
}
# Written in pieces, so that no scanner takes this file for a leak.
LETTERS = "aB3dE5gH7jK9mN1pQ2rS4tU6"
ISSUED = {
    "OpenAI": "sk-" + LETTERS,
    "OpenAI, of a project": "sk-" + "proj-" + LETTERS + "_x-" + LETTERS,
    "GitHub, personal": "ghp" + "_" + LETTERS,
    "GitHub, OAuth": "gho" + "_" + LETTERS,
    "GitHub, fine-grained": "github" + "_pat_" + LETTERS + "_" + LETTERS,
    "Slack, bot": "xox" + "b-1234567890-" + LETTERS,
    "Slack, user": "xox" + "p-1234567890-" + LETTERS,
    "AWS": "AKIA" + "ABCDEFGH12345678",
    "GitLab": "glpat" + "-" + LETTERS,
    "JSON web token": "eyJ" + LETTERS + ".eyJ" + LETTERS + "." + LETTERS + "-_x",
}


@pytest.mark.parametrize("secret", ISSUED.values(), ids=ISSUED)
@pytest.mark.parametrize("around", ["{}", "refused: {}.", "<{}>", '["{}"]', "/path/{}/more", "x={}"])
def test_what_says_by_its_start_that_it_is_one(secret: str, around: str) -> None:
    masked = mask_text(around.format(secret))
    assert "***" in masked
    assert LETTERS not in masked and secret[-10:] not in masked


@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
@pytest.mark.parametrize("newline", ["\n", "\\n"])
def test_a_private_key(kind: str, newline: str) -> None:
    begin, end = (f"-----{word} {kind}PRIVATE KEY-----" for word in ("BEGIN", "END"))
    for text in (newline.join([begin, "MIIhunter2", "q/8=", end]), newline.join([begin, "MIIhunter2", "q/"])):
        assert mask_text(f"read {text}").startswith(f"read {begin}***")
        assert "hunter2" not in mask_text(text) and "q/" not in mask_text(text)
    assert mask_text(f"{begin}{newline}x{newline}{end} and then") == f"{begin}***{end} and then"


@pytest.mark.parametrize(("text", "secret"), SECRETS.values(), ids=SECRETS)
def test_in_a_text(text: str, secret: str) -> None:
    masked = mask_text(text)
    assert secret not in masked
    assert "***" in masked


@pytest.mark.parametrize(
    "text",
    [
        "https://host.example/a@b?monkey",
        "mail to ops@example.org",
        "12 tokens were read: 3 keys",
        "The key is missing.",
        "no password was given",
        "The password is incorrect, the token has expired.",
        "Unexpected token < in JSON at position 0",
        "token bucket_size, token limit 4096",
        "ask-the-owner-of-service-12345678",
        "sk-learn-and-a-long-name",
        "eyJust a word",
        "-----BEGIN CERTIFICATE-----",
        "",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert mask_text(text) == text


NAMES = ["password", "DB_PASSWORD", "apiKey", "api-key", "access_key", "token", "accessToken", "clientSecret"]


@pytest.mark.parametrize("name", [*NAMES, "Authorization", "passwd", "x-private-key"])
def test_a_value_whose_name_says_secret(name: str) -> None:
    assert mask_json({name: "hunter2", "n": 1}) == {name: "***", "n": 1}
    assert mask_json([{"deep": {name: "hunter2"}}]) == [{"deep": {name: "***"}}]
    assert mask_json({name: 123456, "on": True}) == {name: "***", "on": True}
    assert "hunter2" not in json.dumps(mask_json({name: ["hunter2", {"x": "hunter2"}]}))


def test_a_name_is_masked_like_any_text() -> None:
    assert mask_json({"https://u:p@host/": 1}) == {"https://***@host/": 1}


def test_other_values_stay() -> None:
    value = {"a": [1, 2.5, None, True, "text"], "tokens": 7, "keyboard": "x", "passwordless": True}
    assert mask_json(value) == value


@pytest.mark.parametrize("name", ["SECRET_KEY", "ONCALL_ENCRYPTION_KEY", "ONCALL_ADMIN_PASSWORD"])
def test_our_own_secrets(settings: Any, name: str) -> None:
    setattr(settings, name, "correct-horse-battery")
    masking._own_secrets.cache_clear()
    try:
        assert mask_text("it said correct-horse-battery, twice") == "it said ***, twice"
    finally:
        masking._own_secrets.cache_clear()


def test_the_real_ones_too() -> None:
    assert project.SECRET_KEY not in mask_text(f"x{project.SECRET_KEY}y")


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON_VALUES)
def test_whatever_is_json_stays_json(value: Any) -> None:
    masked = mask_json(value)
    assert type(masked) is type(value)
    text = json.dumps(masked, ensure_ascii=False)
    assert json.loads(text) == masked
    text.encode()
    assert "\x00" not in text


FRAGMENTS = [*"@\"' /=\\{}a", "://", "key", "token=", "password:", "Bearer ", "\x00", "\ud800"]


@given(st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=5), max_size=30).map("".join))
def test_masking_never_raises_and_never_unmasks(text: str) -> None:
    masked = mask_text(text)
    masked.encode()
    assert mask_text(masked).count("***") >= (masked.count("***") > 0)


PIECES = ["eyJ", "eyJaaaaaaaaa.", "sk-", "sk-aaaaaaaaaaaaaaaaaaaa ", "ghp_", "xoxb-", "AKIA", "token is ", "password a"]
PIECES += ["-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----x", "-----"]
PIECES += [
    "a.",
    "a-",
    "key",
    "://",
    "x://",
    "token=",
    '"',
    "'key",
    "basic ",
    "key ",
    "a" * 50 + ".",
    "@",
    "\\",
    'key="',
]


@pytest.mark.parametrize("piece", PIECES)
def test_a_long_text_takes_no_longer_than_it_must(piece: str) -> None:
    """A log of a megabyte, of whatever: no pattern may look at the same stretch again and again."""
    text = piece * (1_000_000 // len(piece)) + " token"
    started = time.process_time()
    mask_text(text)
    assert time.process_time() - started < 2


@pytest.mark.django_db
@pytest.mark.usefixtures("kinds")
def test_a_result_is_masked_and_the_payload_is_not() -> None:
    secret = {"url": "https://user:hunter2@host/", "apiKey": "hunter2"}
    with registered("speaker") as handler:
        handler(lambda context: context.job.payload)
        job = queue("speaker", payload=secret)
        assert run_one(take_one(), now=NOON) == "succeeded"
    assert row(job)["payload"] == secret
    assert row(job)["result"] == {"url": "https://***@host/", "apiKey": "***"}
