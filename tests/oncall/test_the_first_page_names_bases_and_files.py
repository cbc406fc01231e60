"""On the first page a base is named with its owner and a job with its file, for many rows as cheaply as for one."""

import re
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from documents.bases import default_base
from documents.models import KnowledgeBase
from jobs.testing import run_until_idle
from oncall.models import Team, User
from tests.documents.factories import add
from tests.jobs.factories import make_job

pytestmark = pytest.mark.django_db
SignIn = Callable[[User], Client]


def test_a_base_is_named_with_its_owner_everywhere(as_user: SignIn, bob: User, team: Team) -> None:
    Team.objects.filter(pk=team.pk).update(first_name="Payments")
    add(default_base(team.pk))
    run_until_idle()
    page = as_user(bob).get("/", {"q": "redis"}).text
    # The hit, the document's row and the select.
    assert len(re.findall(r"Default · Payments", page)) == 3


def test_ones_own_default_base_is_chosen(as_user: SignIn, bob: User, team: Team) -> None:
    Team.objects.filter(pk=team.pk).update(first_name="A team that sorts ahead")
    page = as_user(bob).get("/").text
    assert re.findall(r"<option[^>]* selected>([^<]*)<", page) == ["Default · bob"]


def test_a_teams_default_base_is_there_as_soon_as_a_reader_looks(as_user: SignIn, rita: User, team: Team) -> None:
    as_user(rita).get("/")
    assert KnowledgeBase.objects.filter(owner_user=team, is_default=True).exists()


def test_a_job_names_its_file_and_a_job_without_one_does_not(as_user: SignIn, alice: User) -> None:
    add(default_base(alice.pk), "redis.md")
    make_job(owner=alice, kind="other")
    page = as_user(alice).get("/state/").text
    assert "document_index · <bdi>redis.md</bdi>" in page
    assert re.search(r"<td>other<br>", page)


@pytest.mark.parametrize("path", ["/", "/state/"])
def test_many_rows_cost_as_many_queries_as_one(as_user: SignIn, alice: User, path: str) -> None:
    client, base = as_user(alice), default_base(alice.pk)

    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            assert client.get(path).status_code == 200
        return len(found)

    add(base, "0.md", "# Runbook 0\n\nFree space.")
    few = queries()
    for number in range(1, 9):
        add(base, f"{number}.md", f"# Runbook {number}\n\nFree space.")
    assert queries() == few <= 14
