"""Where even the best hit is far from the question the page says so, and shows the nearest all the same."""

from collections.abc import Callable

import pytest
from django.test import Client

from documents.scope import scope_for
from documents.search import search
from oncall.models import User
from tests.documents.factories import indexed

pytestmark = pytest.mark.django_db
SAID = "Nothing fits well; these are the nearest."


@pytest.fixture
def client_of_alice(as_user: Callable[[User], Client], alice: User) -> Client:
    indexed(alice, "disk.md", "# Disk is full\n\nThe file system has no space left. Remove old logs.")
    indexed(alice, "KubeFoo.md", "# Pods\n\nA container starts and stops again. Read its last log.")
    return as_user(alice)


@pytest.mark.parametrize("query", ["vegetarian lasagne", "wedding dress white lace", "世界杯冠军是谁"])
def test_a_question_about_something_else(client_of_alice: Client, query: str) -> None:
    page = client_of_alice.get("/", {"q": query}).text
    assert SAID in page
    assert "lines 1–3" in page


@pytest.mark.parametrize(
    "query",
    ["no room on the drive any more", "磁盘空间满了怎么办", "KubeFoo", "space", "container restarts", "disk.md"],
)
def test_a_question_that_the_base_answers(client_of_alice: Client, query: str) -> None:
    page = client_of_alice.get("/", {"q": query}).text
    assert SAID not in page
    assert "lines 1–3" in page


def test_no_hit_at_all_is_said_in_its_own_words(client_of_alice: Client) -> None:
    page = client_of_alice.get("/", {"q": "!!!"}).text
    assert SAID not in page and "Nothing found" in page


def test_nothing_is_hidden(client_of_alice: Client, alice: User) -> None:
    assert len(search(scope_for([alice.pk]), "vegetarian lasagne")) == 2
