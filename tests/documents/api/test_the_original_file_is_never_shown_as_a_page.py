"""What a stranger uploaded comes back byte for byte, as a download: not sniffed, not rendered, no script of it runs."""

from collections.abc import Callable

import pytest
from django.test import Client

from documents.models import KnowledgeBase
from documents.uploads import upload
from oncall.models import User

pytestmark = pytest.mark.django_db
SCRIPT = "<script>alert(1)</script>\r\n内容".encode("gb18030")


def test_the_answer(as_user: Callable[[User], Client], alice: User, base: KnowledgeBase) -> None:
    document = upload(base, file_name='手册 "x".md', data=SCRIPT).document
    answer = as_user(alice).get(f"/knowledge-bases/{base.pk}/documents/{document.pk}/content")
    assert answer.status_code == 200 and answer.content == SCRIPT
    assert answer["Content-Disposition"].startswith("attachment; filename*=utf-8''%E6%89%8B")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer["Content-Security-Policy"] and "script" not in answer["Content-Security-Policy"]
    assert answer["Content-Type"] == "application/octet-stream"


def test_a_name_cannot_leave_its_folder_or_its_header(base: KnowledgeBase) -> None:
    for number, (name, kept) in enumerate({"../../etc/a.md": "a.md", "C:\\x\\b.md": "b.md", " c.md ": "c.md"}.items()):
        assert upload(base, file_name=name, data=b"# %d" % number).document.file_name == kept
    for name in ("", "..", "a\nb.md", "a\x00.md", "x" * 253 + ".md"):
        with pytest.raises(ValueError, match="name"):
            upload(base, file_name=name, data=b"# y")
