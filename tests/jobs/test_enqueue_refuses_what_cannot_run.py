"""What could never run, or never be stored, is refused at the call, and leaves nothing behind."""

from typing import Any

import pytest

from jobs.enqueue import UnknownKind
from jobs.models import Job
from jobs.payloads import MAX_JSON_BYTES, InvalidJson
from tests.jobs.steps import NOON, OTHER_KIND, queue

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("kinds")]


@pytest.fixture(autouse=True)
def nothing_is_left() -> Any:
    yield
    assert not Job.objects.exists()


def test_an_unknown_kind() -> None:
    with pytest.raises(UnknownKind, match='No handler is registered for job kind "nobody_serves_this"'):
        queue("nobody_serves_this")


def nested(depth: int) -> list[Any]:
    inner: list[Any] = []
    for _ in range(depth):
        inner = [inner]
    return inner


NOT_JSON: dict[str, Any] = {
    "an object": object(),
    "a date": NOON,
    "a set": {1, 2},
    "bytes": b"abc",
    "not a number": float("nan"),
    "infinity": float("inf"),
    "NUL in a text": "a\x00b",
    "NUL in a name": {"a\x00b": 1},
    "NUL deep inside": [{"x": ["a\x00b"]}],
    "half a character": "\ud800",
    "a number beyond text": 10**5000,
    "a name that is a pair": {(1, 2): 3},
    "too deep": nested(100_000),
}


@pytest.mark.parametrize("value", NOT_JSON.values(), ids=NOT_JSON)
def test_a_payload_that_is_no_json(value: Any) -> None:
    with pytest.raises(InvalidJson, match="payload"):
        queue(payload={"value": value})


@pytest.mark.parametrize("payload", [[1, 2], "text", 7, True])
def test_a_payload_that_is_no_object(payload: Any) -> None:
    with pytest.raises(ValueError, match="payload"):
        queue(payload=payload)


def test_a_payload_above_256_kb() -> None:
    with pytest.raises(InvalidJson, match=f"at most {MAX_JSON_BYTES}"):
        queue(payload={"x": "a" * MAX_JSON_BYTES})
    with pytest.raises(InvalidJson, match=f"at most {MAX_JSON_BYTES}"):
        queue(payload={"x": "字" * (MAX_JSON_BYTES // 3)})


@pytest.mark.parametrize(
    "limits",
    [
        {"max_attempts": 0},
        {"max_attempts": -1},
        {"max_attempts": 1.5},
        {"max_attempts": 2**31},
        {"timeout_seconds": 0},
        {"timeout_seconds": -1},
        {"timeout_seconds": float("nan")},
        {"timeout_seconds": float("inf")},
        {"timeout_seconds": 1e15},
        {"priority": 2**31},
        {"priority": -(2**31) - 1},
        {"priority": 0.5},
    ],
    ids=str,
)
def test_a_limit_that_makes_no_sense(limits: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        queue(**limits)


@pytest.mark.parametrize(
    "resource",
    [
        ("picture", ""),
        ("", "7"),
        ("p" * 101, "7"),
        ("picture", "7" * 101),
        ("pic\x00ture", "7"),
        ("picture", "\x00"),
        ("picture", 7),
    ],
)
def test_a_resource_that_cannot_be_stored(resource: Any) -> None:
    with pytest.raises(ValueError):
        queue(OTHER_KIND, resource=resource)
