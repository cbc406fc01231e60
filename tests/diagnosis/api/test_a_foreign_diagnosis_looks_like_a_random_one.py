"""Whose diagnosis it is, and whether there is one, cannot be told from an answer: the same bytes on every verb."""

from collections.abc import Callable
from urllib.parse import quote

import pytest
from django.test import Client

from diagnosis.models import Diagnosis
from oncall.api.ids import new_id
from oncall.models import User

pytestmark = pytest.mark.django_db
VERBS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
NONSENSE = ["x", "1", "None", "' OR 1=1 --", "\x00", "a:b", "é" * 10, "9" * 5000, "..", " "]
BELOW = ["", ":cancel", ":retry", "/events", "/events:stream", "/evidence-chain", "/report"]


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("below", BELOW)
def test_equal_bytes(
    as_user: Callable[[User], Client], diagnosis: Diagnosis, charlie: User, below: str, verb: str
) -> None:
    ids = [diagnosis.pk, new_id("diag"), *(quote(text, safe="") for text in NONSENSE)]
    outsider = as_user(charlie)
    answers = [outsider.generic(verb, f"/aiops/diagnostics/{pk}{below}") for pk in ids]
    assert len({(answer.status_code, answer.content) for answer in answers}) == 1
    assert (answers[0].status_code, b"AUTH_FORBIDDEN" in answers[0].content) in {(403, True), (405, False)}


@pytest.mark.parametrize("accept", ["text/html", "text/markdown", "application/json", "*/*"])
def test_also_where_the_answer_would_be_a_page(
    as_user: Callable[[User], Client], diagnosis: Diagnosis, charlie: User, accept: str
) -> None:
    outsider = as_user(charlie)
    answers = [
        outsider.get(f"/aiops/diagnostics/{pk}/report", headers={"Accept": accept})
        for pk in (diagnosis.pk, new_id("diag"))
    ]
    assert answers[0].content == answers[1].content and answers[0].status_code == 403
    assert answers[0]["Content-Type"] == "application/json"
