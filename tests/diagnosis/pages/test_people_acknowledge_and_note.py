"""A teammate takes an incident over and writes into it; everybody in the team sees both."""

from collections.abc import Callable

import pytest
from django.test import Client

from diagnosis.models import Alert, Incident
from oncall.models import User

SignIn = Callable[[User], Client]


def page(client: Client, incident: Incident) -> str:
    return client.get(f"/incidents/{incident.pk}/").content.decode()


def test_the_first_to_acknowledge_stays(as_user: SignIn, alice: User, bob: User, rita: User, alert: Alert) -> None:
    incident = alert.incident
    assert "Nobody looks after it yet." in page(as_user(rita), incident)
    for user in (bob, alice):
        answer = as_user(user).post(f"/incidents/{incident.pk}/acknowledge/")
        assert answer["Location"] == f"/incidents/{incident.pk}/"
    seen = page(as_user(rita), incident)
    assert "Looked after by <strong><bdi>bob</bdi></strong>" in seen
    assert "/acknowledge/" not in page(as_user(alice), incident)


def test_a_note_is_seen_by_the_team(as_user: SignIn, bob: User, rita: User, incident: Incident) -> None:
    as_user(bob).post(f"/incidents/{incident.pk}/note/", {"text": "Rolled back.\nWatching <b>it</b>. \x00"})
    seen = page(as_user(rita), incident)
    assert "Rolled back.\nWatching &lt;b&gt;it&lt;/b&gt;." in seen and "bob" in seen


@pytest.mark.parametrize("text", ["", "  \n ", "x" * 10_001])
def test_a_note_that_cannot_be_kept_comes_back_with_the_reason(
    as_user: SignIn, bob: User, incident: Incident, text: str
) -> None:
    answer = as_user(bob).post(f"/incidents/{incident.pk}/note/", {"text": text})
    assert answer.status_code == 400
    seen = answer.content.decode()
    assert "A note must have 1 to 10,000 characters." in seen and f">{text}</textarea>" in seen
    assert not incident.notes.exists()
