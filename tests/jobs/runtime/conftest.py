"""A worker inside the test's process: kinds that go with the test, runtimes that are stopped."""

import threading
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import pytest
from django.db import connection

from jobs.handlers import Handler
from jobs.resources import OnChange, register_resource, unregister_resource
from jobs.runtime.runtime import BackgroundJobRuntime
from jobs.testing import registered
from tests.jobs.runtime.intruder import Intruder


class StartRuntime(Protocol):
    def __call__(self, **limits: Any) -> BackgroundJobRuntime: ...


@pytest.fixture(autouse=True)
def no_other_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a test's own kinds: one that an app of the project reserves would take a slot from every worker here."""
    monkeypatch.setattr("jobs.handlers._registry", {})


@pytest.fixture
def handle(request: pytest.FixtureRequest, no_other_kinds: None) -> Callable[..., Callable[[Handler], Handler]]:
    """``@handle("kind", timeout_seconds=1)`` registers a handler for this test."""

    def register(kind: str, **limits: Any) -> Callable[[Handler], Handler]:
        block = registered(kind, **limits)
        decorate = block.__enter__()
        request.addfinalizer(lambda: block.__exit__(None, None, None))
        return decorate

    return register


@pytest.fixture
def follow(request: pytest.FixtureRequest) -> Callable[[str, OnChange], None]:
    """``follow("picture", on_change)`` registers a domain for this test."""

    def register(resource_type: str, on_change: OnChange) -> None:
        register_resource(resource_type, on_change)
        request.addfinalizer(lambda: unregister_resource(resource_type))

    return register


@pytest.fixture
def start(transactional_db: None, released: threading.Event) -> Iterator[StartRuntime]:
    """Start a worker; with the test's end what blocks is let go and the worker stopped."""
    started: list[BackgroundJobRuntime] = []

    def start_runtime(**limits: Any) -> BackgroundJobRuntime:
        runtime = BackgroundJobRuntime(**{"concurrency": 4, "drain_seconds": 0, "poll_seconds": 0.2, **limits})
        started.append(runtime)
        runtime.start()
        return runtime

    yield start_runtime
    released.set()
    for runtime in started:
        runtime.stop()


@pytest.fixture
def released() -> Iterator[threading.Event]:
    """What a handler that is to block waits for; set when the test ends."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def intruder(transactional_db: None) -> Iterator[Intruder]:
    """Another process's connection to the same database."""
    other = Intruder()
    yield other
    other.close()


@pytest.fixture
def on_sqlite(transactional_db: None) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("a rule about SQLite's one write lock")
