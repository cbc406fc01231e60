"""The first page lists documents and jobs of the user and the user's teams, takes uploads, and searches."""

from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from documents.bases import create_base
from documents.models import Document, KnowledgeBase
from jobs.testing import run_until_idle
from oncall.models import Team, User

SignIn = Callable[[User], Client]


@pytest.fixture
def base(team: Team) -> KnowledgeBase:
    return create_base(owner_id=team.pk, name="Runbooks")


def post(
    client: Client, base: KnowledgeBase, name: str = "disk.md", text: bytes = b"# Disk full\n\nFree space."
) -> None:
    answer = client.post("/upload/", {"base": base.pk, "file": SimpleUploadedFile(name, text)}, follow=True)
    assert answer.status_code == 200


def test_a_base_that_no_id_can_name_is_not_found(as_user: SignIn, alice: User) -> None:
    answer = as_user(alice).post("/upload/", {"base": "kb_\0", "file": SimpleUploadedFile("a.md", b"# A")})
    assert answer.status_code == 404
    assert not Document.objects.exists()


def test_an_anonymous_visitor_is_sent_to_sign_in(client: Client, db: None) -> None:
    for path in ("/", "/state/"):
        assert client.get(path)["Location"].startswith("/accounts/login/")


def test_an_upload_is_watched_indexed_and_found(as_user: SignIn, alice: User, base: KnowledgeBase) -> None:
    client = as_user(alice)
    post(client, base)
    waiting = client.get("/").content.decode()
    assert "disk.md" in waiting and "hx-get" in waiting
    run_until_idle()
    done = client.get("/state/").content.decode()
    assert "indexed" in done and "hx-get" not in done
    assert "Disk full" in client.get("/", {"q": "disk"}).content.decode()


def test_a_teammate_sees_it_and_an_outsider_does_not(
    as_user: SignIn, alice: User, rita: User, charlie: User, base: KnowledgeBase
) -> None:
    post(as_user(alice), base)
    run_until_idle()
    assert "disk.md" in as_user(rita).get("/").content.decode()
    for path in ("/", "/state/", "/?q=disk"):
        page = as_user(charlie).get(path).content.decode()
        assert "disk.md" not in page and "document_index" not in page


def test_a_reader_and_an_outsider_cannot_upload(
    as_user: SignIn, rita: User, charlie: User, base: KnowledgeBase
) -> None:
    for user in (rita, charlie):
        file = SimpleUploadedFile("a.md", b"text of a runbook")
        assert as_user(user).post("/upload/", {"base": base.pk, "file": file}).status_code == 404
    assert not Document.objects.exists()


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("empty.md", b"", "The file is empty."),
        ("picture.png", b"\x89PNG\r\n\x1a\n\x00\x00", "cannot be read"),
        ("nul.md", bytes(range(256)) * 20, "no text"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(
    as_user: SignIn, alice: User, base: KnowledgeBase, name: str, text: bytes, said: str
) -> None:
    client = as_user(alice)
    file = SimpleUploadedFile(name, text)
    page = client.post("/upload/", {"base": base.pk, "file": file}, follow=True).content.decode()
    assert said in page
    assert not Document.objects.exists()


def test_markup_in_names_and_text_is_shown_as_text(as_user: SignIn, alice: User, base: KnowledgeBase) -> None:
    client = as_user(alice)
    post(client, base, name="x<script>alert(1)<script>.md", text=b"# <img src=x onerror=alert(1)> disk\n\n<b>disk</b>")
    run_until_idle()
    page = client.get("/", {"q": "disk"}).content.decode()
    assert "<script>alert" not in page and "<img src=x" not in page and "<b>disk" not in page


def test_a_query_that_cannot_be_searched_is_answered(as_user: SignIn, alice: User) -> None:
    client = as_user(alice)
    assert "10000" in client.get("/", {"q": "a" * 10_001}).content.decode()
    assert client.get("/", {"q": '"*( NEAR \x00 '}).status_code == 200
    assert "Nothing found" in client.get("/", {"q": "!!!"}).content.decode()
