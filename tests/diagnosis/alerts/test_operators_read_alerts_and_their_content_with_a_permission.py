"""The admin lists alerts, incidents, changes and rules of all owners, read-only; what was delivered only to those with
``diagnosis.view_content``, and each such look is on record."""

from collections.abc import Callable

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.test import Client

from diagnosis.changes import record_change
from diagnosis.incidents import add_note
from diagnosis.models import Alert, AlertIntake, Incident
from diagnosis.rules import create_rule
from oncall.models import User
from tests.diagnosis.alerts.deliveries import T0, alert, deliver

pytestmark = pytest.mark.django_db
CONTENT = "Xyzzyplugh"


@pytest.fixture
def pages(alice: User) -> dict[str, object]:
    """The pages of one row each, by model."""
    deliver(alice, alert(annotations={"summary": CONTENT}))
    incident = Incident.objects.get()
    add_note(incident.pk, author_id=alice.pk, text=CONTENT)
    change = record_change(owner_id=alice.pk, service="payment", kind="deploy", at=T0)
    rule = create_rule(owner_id=alice.pk, name="all", matchers={})
    ids = {"alert": Alert.objects.get().pk, "incident": incident.pk, "change": change.pk, "rule": rule.pk}
    return {**ids, "alertintake": AlertIntake.objects.get().pk}


@pytest.fixture
def operator(charlie: User, as_user: Callable[[User], Client]) -> Client:
    """Staff who may view everything of diagnosis but content."""
    User.objects.filter(pk=charlie.pk).update(is_staff=True)
    charlie.refresh_from_db()
    charlie.user_permissions.set(
        Permission.objects.filter(content_type__app_label="diagnosis", codename__startswith="view_").exclude(
            codename="view_content"
        )
    )
    return as_user(charlie)


def test_each_page_without_content(operator: Client, pages: dict[str, object]) -> None:
    for model, pk in pages.items():
        for rest in ("", "?q=a", f"{pk}/change/"):
            path = f"/admin/diagnosis/{model}/{rest}"
            answer = operator.get(path)
            assert answer.status_code == 200, path
            assert CONTENT not in answer.content.decode(), path
        assert operator.get(f"/admin/diagnosis/{model}/add/").status_code == 403
        assert operator.post(f"/admin/diagnosis/{model}/{pk}/delete/", {"post": "yes"}).status_code == 403
        assert operator.post(f"/admin/diagnosis/{model}/{pk}/change/", {"name": "b"}).status_code == 403
    assert not LogEntry.objects.exists()


@pytest.mark.parametrize("model", ["alert", "incident"])
def test_content_with_the_permission_and_on_record(
    operator: Client, charlie: User, pages: dict[str, object], model: str
) -> None:
    charlie.user_permissions.add(Permission.objects.get(codename="view_content"))
    assert CONTENT in operator.get(f"/admin/diagnosis/{model}/{pages[model]}/change/").content.decode()
    entry = LogEntry.objects.get()
    assert (entry.user_id, entry.object_id) == (charlie.pk, pages[model])


def test_markup_in_labels_is_shown_as_text(operator: Client, alice: User) -> None:
    deliver(alice, alert("<script>x</script>", labels={"m": "<img src=x>"}), group="<b>")
    row = Alert.objects.get()
    page = operator.get(f"/admin/diagnosis/alert/{row.pk}/change/").content.decode()
    assert "<script>x</script>" not in page and "<img src=x>" not in page


def test_the_side_bar_leads_to_them(operator: Client, pages: dict[str, object]) -> None:
    page = operator.get("/admin/").content.decode()
    for model in pages:
        assert f"/admin/diagnosis/{model}/" in page
