"""A unique constraint decides, not a look beforehand: four at once are one 201 and three 409 that name the document."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client

from documents.bases import default_base
from documents.models import Document
from jobs.models import Job
from oncall.models import User
from tests.documents.factories import RUNBOOK


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("names", [["a.md"] * 4, ["a.md", "b.md", "c.md", "d.md"]], ids=["one name", "four names"])
def test_one_of_four(alice: User, as_user: Callable[[User], Client], names: list[str]) -> None:
    base = default_base(alice.pk)
    clients = [as_user(alice) for _ in names]
    start = Barrier(len(names))

    def send(client: Client, name: str) -> Any:
        file = SimpleUploadedFile(name, RUNBOOK.encode())
        start.wait()
        try:
            return client.post(f"/knowledge-bases/{base.pk}/documents", {"file": file})
        finally:
            connection.close()

    with ThreadPoolExecutor(len(names)) as pool:
        answers = list(pool.map(send, clients, names))
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409]
    document = Document.objects.get()
    for answer in answers:
        if answer.status_code == 409:
            (error,) = answer.json()["errors"]
            assert error["code"] == "CONFLICT" and document.pk in error["detail"]
    assert Job.objects.count() == 1
