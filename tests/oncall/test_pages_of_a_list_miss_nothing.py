"""Following ``next`` gives every row once and in order, also when many share a time; ``previous`` leads back."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from oncall.models import Token, User
from tests.factories import make_token

pytestmark = [pytest.mark.urls("tests.oncall.probe_urls"), pytest.mark.django_db]


@pytest.fixture
def expected(alice: User) -> list[str]:
    for _ in range(23):
        make_token(alice)
    same = timezone.now()
    Token.objects.update(created=same)
    Token.objects.filter(pk__in=list(Token.objects.values_list("pk", flat=True)[:4])).update(
        created=same - timezone.timedelta(days=1)
    )
    return list(Token.objects.order_by("-created", "-id").values_list("pk", flat=True))


@pytest.mark.parametrize("limit", [1, 7, 22, 23, 50])
def test_forwards_and_back(client: Client, alice: User, expected: list[str], limit: int) -> None:
    client.force_login(alice)
    pages = walk(client, f"/probe/rows?limit={limit}", "next")
    assert [row["id"] for page in pages for row in page["results"]] == expected
    assert pages[0]["previous"] is None and pages[-1]["next"] is None
    back = walk(client, pages[-1]["previous"], "previous") if len(pages) > 1 else []
    assert [page["results"] for page in back] == [page["results"] for page in pages[-2::-1]]


def test_fifty_rows_are_a_page(client: Client, alice: User) -> None:
    client.force_login(alice)
    for _ in range(51):
        make_token(alice)
    page = client.get("/probe/rows").json()
    assert set(page) == {"next", "previous", "results"}
    assert len(page["results"]) == 50


def test_an_empty_list(client: Client, alice: User) -> None:
    client.force_login(alice)
    assert client.get("/probe/rows").json() == {"next": None, "previous": None, "results": []}


def test_links_keep_the_filters(client: Client, alice: User, expected: list[str]) -> None:
    client.force_login(alice)
    assert "scope=full" in client.get("/probe/rows?limit=2&scope=full").json()["next"]


def walk(client: Client, url: str | None, link: str) -> list[dict[str, Any]]:
    pages = []
    while url is not None:
        page = client.get(url).json()
        pages.append(page)
        url = page[link]
    return pages
