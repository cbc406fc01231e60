"""The admin shows how far diagnoses are; what they asked and found needs a permission, and a look at it is logged."""

from collections.abc import Callable

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.test import Client

from diagnosis.models import Diagnosis
from oncall.models import User
from tests.diagnosis.factories import SUMMARIES

pytestmark = pytest.mark.django_db
CONTENT = ["Why is checkout slow?", SUMMARIES[2], "quoted from", "histogram_quantile"]


@pytest.fixture
def operator(charlie: User) -> User:
    """May see the tables, not what is in them."""
    User.objects.filter(pk=charlie.pk).update(is_staff=True)
    charlie.user_permissions.set(
        Permission.objects.filter(codename__startswith="view_").exclude(codename="view_content")
    )
    return User.objects.get(pk=charlie.pk)


def test_metadata_without_it(as_user: Callable[[User], Client], operator: User, diagnosis: Diagnosis) -> None:
    client = as_user(operator)
    for path in ("/admin/diagnosis/diagnosis/", f"/admin/diagnosis/diagnosis/{diagnosis.pk}/change/"):
        answer = client.get(path)
        assert answer.status_code == 200, path
        page = answer.content.decode()
        assert diagnosis.pk in page and not [text for text in [*CONTENT, "latency"] if text in page]
    assert not LogEntry.objects.exists()


def test_content_with_it_and_a_line_in_the_log(
    as_user: Callable[[User], Client], operator: User, diagnosis: Diagnosis
) -> None:
    operator.user_permissions.add(Permission.objects.get(codename="view_content"))
    page = as_user(operator).get(f"/admin/diagnosis/diagnosis/{diagnosis.pk}/change/").content.decode()
    assert not [text for text in CONTENT if text not in page]
    entry = LogEntry.objects.get()
    assert (entry.user_id, entry.object_id) == (operator.pk, diagnosis.pk)
    assert "read question, evidence and report" in str(entry)


def test_nothing_is_changed_there(as_user: Callable[[User], Client], operator: User, diagnosis: Diagnosis) -> None:
    User.objects.filter(pk=operator.pk).update(is_superuser=True)
    client = as_user(User.objects.get(pk=operator.pk))
    assert client.get("/admin/diagnosis/diagnosis/add/").status_code == 403
    one = f"/admin/diagnosis/diagnosis/{diagnosis.pk}"
    assert client.post(f"{one}/delete/", {"post": "yes"}).status_code == 403
    assert client.post(f"{one}/change/", {"query": "other"}).status_code == 403
    assert "/admin/diagnosis/diagnosis/" in client.get("/admin/").content.decode()
