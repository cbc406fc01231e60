"""Each bad input gets the error shape, names its field, and leaves no row."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from documents.models import Document, DocumentContent, IndexTask, KnowledgeBase
from jobs.models import Job
from oncall.models import User
from tests.documents.factories import RUNBOOK

pytestmark = pytest.mark.django_db
JSON = "application/json"
NOISE = random.Random(3).randbytes(3_000)


@pytest.fixture
def client(as_user: Callable[[User], Client], alice: User) -> Client:
    return as_user(alice)


def refused(answer: Any, *, status: int = 400, attr: str | None = None) -> str:
    code = {400: "VALIDATION_INVALID_ARGUMENT", 413: "PAYLOAD_TOO_LARGE", 415: "UNSUPPORTED_MEDIA_TYPE"}[status]
    assert answer.status_code == status, answer.content
    error = answer.json()["errors"][0]
    assert error["code"] == code and error["attr"] == attr, error
    for model in (Document, DocumentContent, IndexTask, Job):
        assert not model.objects.exists()
    return str(error["detail"])


def upload(
    client: Client, base: KnowledgeBase, data: bytes = RUNBOOK.encode(), name: str = "a.md", **fields: Any
) -> Any:
    return client.post(f"/knowledge-bases/{base.pk}/documents", {"file": SimpleUploadedFile(name, data), **fields})


@pytest.mark.parametrize(
    ("data", "name", "code"),
    [
        (b"", "a.md", "empty"),
        (b"hello", "a.exe", "unsupported_type"),
        (b"hello", "README", "unsupported_type"),
        (b"%PDF-1.7", "a.pdf", "unsupported_type"),
        (b"PK\x03\x04", "a.docx", "unsupported_type"),
        (NOISE, "a.md", "unsupported_type"),
        (b"\xef\xbb\xbf\xff", "a.txt", "garbled"),
        (b"a" * (20 * 1024 * 1024 + 1), "a.log", "too_large"),
    ],
    ids=["empty", "exe", "no extension", "pdf", "docx", "noise", "garbled", "20 MB + 1 of text"],
)
def test_files(client: Client, base: KnowledgeBase, data: bytes, name: str, code: str) -> None:
    assert code in refused(upload(client, base, data, name), attr="file")


def test_two_files_at_once(client: Client, base: KnowledgeBase) -> None:
    files = [SimpleUploadedFile("a.md", b"# One"), SimpleUploadedFile("b.md", b"# Two")]
    refused(client.post(f"/knowledge-bases/{base.pk}/documents", {"file": files}), attr="file")


def test_a_file_above_the_limit(client: Client, base: KnowledgeBase, settings: Any) -> None:
    settings.MAX_UPLOAD_BYTES = 100
    refused(upload(client, base, b"a" * 101), status=413)


@pytest.mark.parametrize(
    "chunking",
    [
        "{",
        "[]",
        '{"strategy": "magic"}',
        '{"strategy": "fixed-character", "maxCharacters": 100, "overlapCharacters": 100}',
    ],
)
def test_a_chunking_that_makes_no_sense(client: Client, base: KnowledgeBase, chunking: str) -> None:
    assert refused(upload(client, base, chunking=chunking), attr="chunking").startswith("chunking")


@pytest.mark.parametrize("field", ["overwrite", "index"])
def test_a_flag_that_is_none(client: Client, base: KnowledgeBase, field: str) -> None:
    refused(upload(client, base, **{field: "perhaps"}), attr=field)


def test_forms_that_are_none(client: Client, base: KnowledgeBase) -> None:
    path = f"/knowledge-bases/{base.pk}/documents"
    refused(client.post(path, {}), attr="file")
    refused(client.post(path, {"file": "text"}), attr="file")
    refused(client.post(path, {"file": "x"}, content_type=JSON), status=415)
    refused(client.generic("POST", path, b"--x", content_type="multipart/form-data"))


@pytest.mark.parametrize("path", ["", "/documents"])
@pytest.mark.parametrize(
    ("query", "attr"),
    [("colour=red", "colour"), ("cursor=cD0x", "cursor"), ("limit=0", "limit"), ("limit=x", "limit")],
)
def test_lists(client: Client, base: KnowledgeBase, path: str, query: str, attr: str) -> None:
    address = f"/knowledge-bases/{base.pk}/documents" if path else "/knowledge-bases"
    refused(client.get(f"{address}?{query}"), attr=attr)


def test_a_status_that_is_none(client: Client, base: KnowledgeBase) -> None:
    refused(client.get(f"/knowledge-bases/{base.pk}/documents?status=lost"), attr="status")


@pytest.mark.parametrize(
    ("body", "attr"),
    [
        ({}, "query"),
        ({"query": ""}, "query"),
        ({"query": "   "}, "query"),
        ({"query": 7.5e400}, None),
        ({"query": ["x"]}, "query"),
        ({"query": "x" * 10_001}, "query"),
        ({"query": "x\x00"}, "query"),
        ({"query": "x", "limit": 0}, "limit"),
        ({"query": "x", "limit": 101}, "limit"),
        ({"query": "x", "limit": "many"}, "limit"),
        ({"query": "x", "mode": "magic"}, "mode"),
        ({"query": "x", "documentIds": "doc_1"}, "documentIds"),
        ({"query": "x", "documentIds": [None]}, "documentIds.0"),
        ({"query": "x", "documentIds": [7]}, "documentIds.0"),
    ],
    ids=str,
)
@pytest.mark.parametrize("where", ["base", "all"])
def test_searches(client: Client, base: KnowledgeBase, body: Any, attr: str | None, where: str) -> None:
    path = f"/knowledge-bases/{base.pk}:search" if where == "base" else "/knowledge:search"
    refused(client.post(path, body, content_type=JSON), attr=attr)


@pytest.mark.parametrize("body", [b"{", b"[]", b'"x"', b"\xff", b"[" * 100_000])
def test_bodies_that_are_no_object(client: Client, base: KnowledgeBase, body: bytes) -> None:
    for path in ("/knowledge:search", "/knowledge-bases"):
        answer = client.generic("POST", path, body, content_type=JSON)
        assert answer.status_code == 400 and answer.json()["errors"][0]["code"] == "VALIDATION_INVALID_ARGUMENT"


@pytest.mark.parametrize(
    ("body", "attr"),
    [
        ({}, "name"),
        ({"name": " "}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"name": "a\x00b"}, "name"),
        ({"name": "a", "ownerUserId": "me"}, "ownerUserId"),
        ({"name": "a", "ownerUserId": 2**70}, "ownerUserId"),
        ({"name": "a", "description": ["x"]}, "description"),
        ({"name": "a", "description": 7}, "description"),
    ],
    ids=str,
)
def test_bases(client: Client, body: Any, attr: str) -> None:
    refused(client.post("/knowledge-bases", body, content_type=JSON), attr=attr)
    assert not KnowledgeBase.objects.exists()


def test_anonymous_callers(client: Client, base: KnowledgeBase) -> None:
    for method, path in [
        ("GET", "/knowledge-bases"),
        ("POST", "/knowledge:search"),
        ("GET", f"/knowledge-bases/{base.pk}"),
    ]:
        answer = Client().generic(method, path)
        assert answer.status_code == 401 and answer.json()["errors"][0]["code"] == "AUTH_UNAUTHENTICATED"
