"""The edge of what is allowed is allowed: a payload comes back as it went in, on either database."""

from typing import Any

import pytest

from jobs.payloads import MAX_JSON_BYTES
from jobs.testing import registered
from tests.jobs.conftest import do_nothing
from tests.jobs.steps import queue, row, take_one

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("kinds")]

PAYLOADS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "nested": {"a": [{"b": [None, True, 1.5, "x"]}]},
    "chinese and emoji": {"名前": "运行手册 🚒"},
    "an escape that only looks like NUL": {"path": "C:\\u0000"},
    "quotes and percent signs": {"sql": "100 % of '%s' \"and\" %(id)s; --"},
    "secrets": {"password": "hunter2", "url": "https://user:pass@host/"},
    "256 KB": {"x": "a" * (MAX_JSON_BYTES - len('{"x": ""}'))},
}


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
def test_a_payload_comes_back_as_it_went_in(payload: dict[str, Any]) -> None:
    """Unmasked too: the handler needs it, and nobody else sees it."""
    job = queue(payload=payload)
    assert job.payload == payload
    assert row(job)["payload"] == payload
    assert take_one().payload == payload


def test_limits_given_at_the_call_win_over_the_kinds() -> None:
    with registered("film", max_attempts=5, timeout_seconds=60, priority=7) as handler:
        handler(do_nothing)
        by_kind, by_call = queue("film"), queue("film", max_attempts=1, timeout_seconds=0.5, priority=-3)
    assert (by_kind.max_attempts, by_kind.timeout_seconds, by_kind.priority) == (5, 60, 7)
    assert (by_call.max_attempts, by_call.timeout_seconds, by_call.priority) == (1, 0.5, -3)


def test_the_longest_resource() -> None:
    assert queue(resource=("t" * 100, "i" * 100)).created
