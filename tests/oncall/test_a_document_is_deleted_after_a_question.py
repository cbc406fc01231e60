"""Responders delete documents from the first page; a page asks first."""

from collections.abc import Callable

import pytest
from django.test import Client

from documents.bases import default_base
from documents.models import Document
from jobs.models import Job
from oncall.models import Team, User
from tests.documents.factories import add, indexed

pytestmark = pytest.mark.django_db
SignIn = Callable[[User], Client]


def test_it_is_gone_after_the_question_and_search_finds_it_no_more(as_user: SignIn, bob: User, team: Team) -> None:
    document = indexed(team, "redis.md")
    client, path = as_user(bob), f"/knowledge/documents/{document.pk}/delete/"
    assert path in client.get("/").text
    question = client.get(path).text
    assert "redis.md" in question and "Delete the document" in question
    assert Document.objects.exists()
    assert "redis.md is deleted." in client.post(path, follow=True).text
    assert not Document.objects.exists()
    assert "Nothing found" in client.get("/", {"q": "redis"}).text
    assert client.post(path).status_code == 404


def test_its_waiting_job_is_cancelled(as_user: SignIn, alice: User) -> None:
    document = add(default_base(alice.pk)).document
    as_user(alice).post(f"/knowledge/documents/{document.pk}/delete/")
    assert Job.objects.get().status == "cancelled"


def test_a_reader_and_an_outsider_cannot(as_user: SignIn, rita: User, charlie: User, team: Team) -> None:
    path = f"/knowledge/documents/{indexed(team).pk}/delete/"
    for user in (rita, charlie):
        assert path not in as_user(user).get("/").text
        assert as_user(user).get(path).status_code == 404
        assert as_user(user).post(path).status_code == 404
    assert Document.objects.exists()
