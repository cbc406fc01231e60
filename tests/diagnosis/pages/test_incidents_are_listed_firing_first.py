"""``/incidents/``: what fires stands first, and a line says the state, since when, where, who, and what was found."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from diagnosis.models import AlertIntake, Diagnosis, Incident
from diagnosis.pages.rows import SHOWN
from diagnosis.states import RESOLVED, RUNNING, STALE
from oncall.models import Team, User
from tests.diagnosis.factories import make_alert, make_incident

SignIn = Callable[[User], Client]
NOW = timezone.now()


def page(client: Client, query: str = "") -> str:
    answer = client.get(f"/incidents/{query}")
    assert answer.status_code == 200
    return answer.content.decode()


def test_an_old_one_that_fires_stands_above_a_new_one_that_is_over(as_user: SignIn, alice: User, team: Team) -> None:
    make_alert(team, incident=make_incident(team, title="Old and firing", opened_at=NOW - timedelta(days=3)))
    over = make_incident(team, title="New and over", opened_at=NOW, state=RESOLVED, resolved_at=NOW)
    make_alert(team, incident=over, state=RESOLVED)
    text = page(as_user(alice))
    assert text.index("Old and firing") < text.index("New and over")
    assert "firing</span>" in text and "resolved</span>" in text


def test_one_of_which_nobody_has_heard_is_stale(as_user: SignIn, alice: User, team: Team) -> None:
    make_alert(team, incident=make_incident(team), state=STALE)
    text = page(as_user(alice))
    assert "stale</span>" in text and "firing</span>" not in text


def test_a_line_says_who_looks_after_it_and_what_was_found(
    as_user: SignIn, alice: User, team: Team, incident: Incident, diagnosed: Callable[..., Diagnosis]
) -> None:
    diagnosed()
    assert "Likely" in page(as_user(alice)) and "nobody yet" in page(as_user(alice))
    diagnosed(status=RUNNING)
    Incident.objects.filter(pk=incident.pk).update(acknowledged_by=alice, acknowledged_at=NOW)
    text = page(as_user(alice))
    assert "running</span>" in text and "Likely" not in text and "nobody yet" not in text


def test_services_beyond_three_are_counted(as_user: SignIn, alice: User, team: Team, incident: Incident) -> None:
    for service in ("a-service", "b-service", "c-service", "d-service", "e-service"):
        make_alert(team, incident=incident, service=service)
    text = page(as_user(alice))
    assert "c-service" in text and "d-service" not in text and "and 2 more" in text and "5 alerts" in text


def test_a_long_list_has_pages_that_miss_nothing(as_user: SignIn, alice: User, team: Team) -> None:
    for number in range(SHOWN + 5):
        make_incident(team, title=f"number-{number:03}", opened_at=NOW - timedelta(minutes=number))
    client = as_user(alice)
    first, second = page(client), page(client, "?page=2")
    assert "?page=2" in first and "?page=3" not in second
    shown = [text.count('href="/incidents/inc_') for text in (first, second)]
    assert shown == [SHOWN, 5]


@pytest.mark.parametrize("number", ["0", "-1", "x", "99999999999999999999", "²", "3"])
def test_any_page_number_gives_a_page(as_user: SignIn, alice: User, incident: Incident, number: str) -> None:
    page(as_user(alice), f"?page={number}")


def test_the_number_of_questions_does_not_grow_with_the_list(
    as_user: SignIn, alice: User, team: Team, django_assert_max_num_queries: Callable[..., object]
) -> None:
    for _ in range(20):
        make_alert(team, incident=make_incident(team))
    client = as_user(alice)
    with django_assert_max_num_queries(12):  # type: ignore[attr-defined]
        page(client)


def test_an_empty_list_says_how_to_connect_alertmanager(as_user: SignIn, alice: User, team: Team) -> None:
    text = page(as_user(alice))
    assert "/aiops/alerts/alertmanager" in text and "alerts:write" in text and "manage.py bootstrap" in text
    AlertIntake.objects.create(owner_user=team, webhook_at=timezone.now() - timedelta(minutes=3, seconds=5))
    text = page(as_user(alice))
    assert "Last webhook" in text and "3\xa0minutes ago" in text and "alerts:write" not in text


def test_a_watchdog_that_fell_silent_is_warned_of(as_user: SignIn, rita: User, charlie: User, team: Team) -> None:
    AlertIntake.objects.create(owner_user=team, webhook_at=NOW, heartbeat_at=NOW - timedelta(hours=7))
    assert "Watchdog" not in page(as_user(rita))
    AlertIntake.objects.update(heartbeat_at=NOW - timedelta(hours=9))
    assert "The Watchdog of ops has fallen silent" in page(as_user(rita))
    assert "Watchdog" not in page(as_user(charlie))
