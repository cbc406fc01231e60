"""Whose base, document or task it is, and whether there is one, cannot be told from an answer: the same bytes."""

from collections.abc import Callable
from urllib.parse import quote

import pytest
from django.test import Client

from documents.bases import default_base
from documents.models import KnowledgeBase
from oncall.api.ids import new_id
from oncall.models import User
from tests.documents.factories import add

pytestmark = pytest.mark.django_db
VERBS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
NONSENSE = ["x", "1", "None", "' OR 1=1 --", "%00", "\x00", "a:b", "é" * 10, "9" * 5000, "..", " "]
PATHS = [
    "/knowledge-bases/{kb}",
    "/knowledge-bases/{kb}:search",
    "/knowledge-bases/{kb}/documents",
    "/knowledge-bases/{kb}/documents/{doc}",
    "/knowledge-bases/{kb}/documents/{doc}/content",
    "/knowledge-bases/{kb}/documents/{doc}/chunks",
    "/knowledge-bases/{kb}/documents/{doc}/index-tasks",
    "/knowledge-bases/{kb}/documents/{doc}/index-tasks/{task}",
    "/knowledge-bases/{kb}/documents/{doc}/index-tasks/{task}:cancel",
    "/knowledge-bases/{kb}/documents/{doc}/index-tasks/{task}:retry",
]


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("path", PATHS)
def test_equal_bytes(
    as_user: Callable[[User], Client], base: KnowledgeBase, charlie: User, path: str, verb: str
) -> None:
    hers, own = add(base), default_base(charlie.pk)
    mine = add(own, "mine.md", "# Mine")
    assert hers.task and mine.task
    foreign = {"kb": base.pk, "doc": hers.document.pk, "task": hers.task.pk}
    cases = [foreign, {"kb": new_id("kb"), "doc": new_id("doc"), "task": new_id("task")}]
    cases += [dict.fromkeys(foreign, quote(text, safe="")) for text in NONSENSE]
    if "{doc}" in path:  # A foreign or random document, or task, below a row of one's own.
        cases += [{**foreign, "kb": own.pk}, {"kb": own.pk, "doc": new_id("doc"), "task": mine.task.pk}]
        cases += [{"kb": base.pk, "doc": mine.document.pk, "task": mine.task.pk}]
    if "{task}" in path:
        cases += [{"kb": own.pk, "doc": mine.document.pk, "task": task} for task in (hers.task.pk, new_id("task"))]
    outsider = as_user(charlie)
    answers = {
        (answer.status_code, answer.content)
        for answer in (outsider.generic(verb, path.format(**case)) for case in cases)
    }
    assert len(answers) == 1
    status, body = answers.pop()
    assert (status, b"AUTH_FORBIDDEN" in body) in {(403, True), (405, False)}
