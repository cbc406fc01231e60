"""``/health`` asks nothing; ``/ready`` names the first part that cannot do its work, and tells no secret."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone

from jobs.models import Worker

pytestmark = pytest.mark.django_db


@pytest.fixture
def live_worker(db: None) -> Worker:
    now = timezone.now()
    times = {"started_at": now, "heartbeat_at": now, "expires_at": now + timedelta(minutes=1)}
    return Worker.objects.create(id="w", host="h", pid=1, version="0", concurrency=1, **times)


def part(client: Client) -> str:
    response = client.get("/ready")
    assert response.status_code == 503
    error = response.json()["errors"][0]
    assert error["code"] == "SYSTEM_UNAVAILABLE"
    return str(error["attr"])


def test_health_needs_no_database(client: Client, django_assert_num_queries: Callable[..., Any]) -> None:
    with django_assert_num_queries(0):
        assert client.get("/health").json() == {"status": "alive"}


def test_ready_when_all_parts_are(client: Client, live_worker: Worker) -> None:
    assert client.get("/ready").status_code == 200


def test_without_a_worker(client: Client) -> None:
    assert part(client) == "workers"


def test_with_a_worker_that_was_not_heard_of(client: Client, live_worker: Worker) -> None:
    Worker.objects.update(expires_at=timezone.now())
    assert part(client) == "workers"


def test_with_a_worker_that_leaves(client: Client, live_worker: Worker) -> None:
    Worker.objects.update(state=Worker.State.DRAINING)
    assert part(client) == "workers"


def test_with_a_migration_missing(client: Client, live_worker: Worker) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'oncall' AND name = '0002_tokens'")
    assert part(client) == "migrations"


def test_without_the_database(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> None:
        raise OperationalError("could not connect to postgres://user:hunter2@host")

    monkeypatch.setattr(connection, "cursor", away)
    response = client.get("/ready")
    assert response.json()["errors"][0]["attr"] == "database"
    assert "hunter2" not in response.text


def test_without_a_store(client: Client, live_worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oncall.health.STORE_MODULES", ("documents.no_such_store",))
    assert part(client) == "stores"
