"""What was wrong with an upload stands out, is read aloud, and is told in words: no id of a row is in it."""

from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from documents.bases import default_base
from oncall.models import User
from tests.documents.factories import RUNBOOK, add

pytestmark = pytest.mark.django_db
ALERT = '<p class="notice bad" role="alert">'


@pytest.fixture
def client_of_alice(as_user: Callable[[User], Client], alice: User) -> Client:
    add(default_base(alice.pk), "redis.md")
    return as_user(alice)


def posted(client: Client, alice: User, name: str, text: str) -> str:
    body = {"base": default_base(alice.pk).pk, "file": SimpleUploadedFile(name, text.encode())}
    return client.post("/upload/", body, follow=True).text


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("other.md", RUNBOOK, "The same content is in this knowledge base as &quot;redis.md&quot;."),
        ("redis.md", "# Other\n\nText.", "Replace a document of the same name"),
        ("empty.md", "", "The file is empty."),
    ],
)
def test_a_refusal(client_of_alice: Client, alice: User, name: str, text: str, words: str) -> None:
    page = posted(client_of_alice, alice, name, text)
    message = page.partition(ALERT)[2].partition("</p>")[0]
    assert words in message
    assert "doc_" not in message and "overwrite=" not in message


def test_a_success_is_no_error(client_of_alice: Client, alice: User) -> None:
    page = posted(client_of_alice, alice, "new.md", "# New\n\nText.")
    assert '<p class="notice" role="status">new.md is being indexed.' in page
    assert ALERT not in page
