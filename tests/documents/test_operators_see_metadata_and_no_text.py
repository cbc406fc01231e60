"""The admin lists bases, documents and tasks of all owners, read-only, without a word of a document."""

from collections.abc import Callable

import pytest
from django.test import Client

from documents.models import KnowledgeBase
from jobs.testing import run_until_idle
from oncall.models import User
from tests.documents.factories import add

pytestmark = pytest.mark.django_db
SECRET = "Xyzzyplugh"


@pytest.fixture
def operator(charlie: User, as_user: Callable[[User], Client]) -> Client:
    User.objects.filter(pk=charlie.pk).update(is_staff=True, is_superuser=True)
    charlie.refresh_from_db()
    return as_user(charlie)


def test_each_page(operator: Client, base: KnowledgeBase) -> None:
    text = f"---\nowner: {SECRET}\n---\n# {SECRET}\n\n{SECRET}"
    found = add(base, "a.md", text)
    run_until_idle()
    assert found.task
    pages = {"knowledgebase": base.pk, "document": found.document.pk, "indextask": found.task.pk}
    for model, pk in pages.items():
        for path in (
            f"/admin/documents/{model}/",
            f"/admin/documents/{model}/?q=a",
            f"/admin/documents/{model}/{pk}/change/",
        ):
            answer = operator.get(path)
            assert answer.status_code == 200, path
            assert SECRET not in answer.content.decode(), path
        assert operator.get(f"/admin/documents/{model}/add/").status_code == 403
        assert operator.post(f"/admin/documents/{model}/{pk}/delete/", {"post": "yes"}).status_code == 403
        assert operator.post(f"/admin/documents/{model}/{pk}/change/", {"file_name": "b"}).status_code == 403


def test_the_side_bar_leads_to_them(operator: Client, base: KnowledgeBase) -> None:
    page = operator.get("/admin/").content.decode()
    for model in ("knowledgebase", "document", "indextask"):
        assert f"/admin/documents/{model}/" in page
