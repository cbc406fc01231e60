"""What ``job_handler`` and ``register_resource`` take, and what they refuse when the program starts."""

from typing import Any

import pytest

from jobs import handlers
from jobs.handlers import JobContext, Snooze, handler_for, job_handler, registered_kinds, reserved_kinds
from jobs.resources import register_resource, resource_for, unregister_resource
from jobs.testing import registered
from tests.jobs.conftest import do_nothing


async def wait(context: JobContext) -> None:
    """A handler that is a coroutine function."""


def test_the_defaults() -> None:
    with registered("film") as handler:
        assert handler(do_nothing) is do_nothing
        spec = handler_for("film")
        assert spec is not None
        assert (spec.kind, spec.function, spec.isolation) == ("film", do_nothing, "thread")
        assert (spec.max_attempts, spec.timeout_seconds, spec.priority, spec.reserved) == (3, 900, 0, False)
        assert "film" in registered_kinds()
    assert handler_for("film") is None


def test_a_coroutine_function_runs_on_the_loop() -> None:
    with registered("film", reserved=True) as handler:
        handler(wait)
        spec = handler_for("film")
        assert spec is not None
        assert spec.isolation == "async"
        assert "film" in reserved_kinds()


def test_a_kind_is_taken_once() -> None:
    with registered("film") as handler:
        handler(do_nothing)
        with pytest.raises(ValueError, match='"film" is already registered'):
            job_handler("film")(wait)
        spec = handler_for("film")
        assert spec is not None
        assert spec.function is do_nothing


@pytest.mark.parametrize(
    "limits",
    [
        {"max_attempts": 0},
        {"max_attempts": 2.5},
        {"timeout_seconds": 0},
        {"timeout_seconds": float("inf")},
        {"timeout_seconds": float("nan")},
        {"priority": 0.5},
        {"isolation": "async"},
    ],
    ids=str,
)
def test_a_limit_that_makes_no_sense(limits: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        job_handler("film", **limits)(do_nothing)
    assert handler_for("film") is None


@pytest.mark.parametrize("kind", ["", "k" * 101])
def test_a_name_that_cannot_be_stored(kind: str) -> None:
    with pytest.raises(ValueError):
        job_handler(kind)


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf"), 1e9])
def test_a_snooze_that_makes_no_sense(seconds: float) -> None:
    with pytest.raises(ValueError):
        Snooze(seconds)


def test_the_kinds_of_our_own_apps_are_found_at_start() -> None:
    assert "document_index" in handlers.registered_kinds()


def test_a_resource_type_is_taken_once() -> None:
    register_resource("film", lambda changes, now: None)
    try:
        with pytest.raises(ValueError, match='"film" is already registered'):
            register_resource("film", lambda changes, now: None)
    finally:
        unregister_resource("film")
    assert resource_for("film") is None
    with pytest.raises(ValueError):
        register_resource("", lambda changes, now: None)
