"""Jobs are listed newest first, a page at a time; each filter narrows, and a bad one is named."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from jobs.states import STATUSES
from oncall.models import User
from tests.jobs.factories import make_job

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)


@pytest.fixture
def ids(client: Client, alice: User) -> list[str]:
    """Five jobs of alice, a minute apart, the newest first."""
    client.force_login(alice)
    made = [
        make_job(
            status=status,
            owner=alice,
            kind=f"kind-{n % 2}",
            resource=(f"type-{n % 2}", str(n)),
            created_at=NOON + n * timedelta(minutes=1),
        ).pk
        for n, status in enumerate(STATUSES)
    ]
    return made[::-1]


def found(client: Client, **query: str) -> list[str]:
    return [row["id"] for row in client.get("/background-jobs", query).json()["results"]]


def test_newest_first(client: Client, ids: list[str]) -> None:
    assert found(client) == ids


@pytest.mark.parametrize("status", STATUSES)
def test_by_status(client: Client, ids: list[str], status: str) -> None:
    assert found(client, status=status) == [ids[4 - STATUSES.index(status)]]


def test_by_kind_and_resource(client: Client, ids: list[str]) -> None:
    assert found(client, kind="kind-1") == [ids[1], ids[3]]
    assert found(client, resourceType="type-1") == [ids[1], ids[3]]
    assert found(client, resourceId="3") == [ids[1]]
    assert found(client, resourceType="type-1", resourceId="4") == []


def test_by_time(client: Client, ids: list[str]) -> None:
    assert found(client, createdAfter="2026-12-01T12:02:00Z") == ids[:2]
    assert found(client, createdBefore="2026-12-01T12:02:00Z") == ids[3:]
    assert found(client, createdAfter="2026-12-01T14:01:00+02:00", createdBefore="2026-12-01T12:03:00Z") == [ids[2]]


def test_pages_keep_the_filter_and_the_order(client: Client, ids: list[str]) -> None:
    first = client.get("/background-jobs", {"limit": 1, "kind": "kind-1"}).json()
    second = client.get(first["next"]).json()
    assert [row["id"] for page in (first, second) for row in page["results"]] == [ids[1], ids[3]]
    assert second["next"] is None


@pytest.mark.parametrize(
    ("query", "attr"),
    [
        ("stauts=failed", "stauts"),
        ("status=done", "status"),
        ("resource_type=x", "resource_type"),
        ("createdAfter=yesterday", "createdAfter"),
        ("createdBefore=9999-99-99", "createdBefore"),
        ("kind=" + "x" * 101, "kind"),
        ("resourceId=%00", "resourceId"),
        ("limit=0", "limit"),
        ("cursor=cD0x", "cursor"),
        ("ownerUserId=1", "ownerUserId"),
    ],
)
def test_a_bad_filter_is_named(client: Client, ids: list[str], query: str, attr: str) -> None:
    response = client.get(f"/background-jobs?{query}")
    error = response.json()["errors"][0]
    assert (response.status_code, error["code"], error["attr"]) == (400, "VALIDATION_INVALID_ARGUMENT", attr)


@pytest.mark.parametrize("below", ["events", "attempts"])
@pytest.mark.parametrize("query", ["cursor=cD0x", "limit=x", "after=1", "afterSequence=x&limit=1"])
def test_and_so_below_a_job(client: Client, alice: User, ids: list[str], below: str, query: str) -> None:
    response = client.get(f"/background-jobs/{ids[0]}/{below}?{query}")
    assert response.status_code == 400
    assert response.json()["errors"][0]["attr"] == query.partition("=")[0]
