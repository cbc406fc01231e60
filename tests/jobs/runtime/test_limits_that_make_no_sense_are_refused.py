"""A worker or a kind with limits under which the promises would not hold does not start."""

from collections.abc import Callable
from typing import Any

import pytest

from jobs.handlers import JobContext, job_handler
from jobs.runtime.runtime import BackgroundJobRuntime


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        ({"concurrency": 0}, "concurrency must be at least 1, not 0."),
        ({"lease_seconds": 5.9}, "lease_seconds must be at least 6, not 5.9."),
        ({"lease_seconds": float("nan")}, "lease_seconds must be at least 6, not nan."),
        ({"lease_seconds": float("inf")}, "lease_seconds must be at most 86400, not inf."),
        ({"poll_seconds": 0.04}, "poll_seconds must be at least 0.05, not 0.04."),
        ({"drain_seconds": -1}, "drain_seconds must not be negative, as -1 is."),
        ({"kinds": ["nobody-knows"]}, "No handler is registered for job kind nobody-knows; known kinds: "),
    ],
)
def test_a_worker(limits: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError) as caught:
        BackgroundJobRuntime(**limits)
    assert str(caught.value).startswith(text)


def test_a_kind_is_registered_once(handle: Callable[..., Any]) -> None:
    @handle("once")
    def once(context: JobContext) -> None: ...

    with pytest.raises(ValueError, match='A handler for job kind "once" is already registered'):
        job_handler("once")(once)
