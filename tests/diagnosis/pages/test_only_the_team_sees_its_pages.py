"""Owner, teammate and reader see the pages; for an outsider they are the pages of an id that never was."""

from collections.abc import Callable

import pytest
from django.test import Client

from diagnosis.models import Diagnosis, Incident
from diagnosis.states import RUNNING
from oncall.models import User

SignIn = Callable[[User], Client]
SHOWN = ["/incidents/{incident}/", "/diagnoses/{diagnosis}/", "/diagnoses/{diagnosis}/outcome/"]
STREAM = "/diagnoses/{diagnosis}/stream/"
POSTED = [
    "/incidents/{incident}/acknowledge/",
    "/incidents/{incident}/note/",
    "/incidents/{incident}/diagnose/",
    "/incidents/{incident}/refresh/",
    "/diagnoses/{diagnosis}/cancel/",
    "/diagnoses/{diagnosis}/retry/",
]
RANDOM = ["inc_" + "0" * 32, "x", "%00", "%ED%A0%80", "a" * 300]


@pytest.fixture
def paths(incident: Incident, diagnosed: Callable[..., Diagnosis]) -> Callable[[str], str]:
    ids = {"incident": incident.pk, "diagnosis": diagnosed(status=RUNNING).pk}
    return lambda path: path.format(**ids)


@pytest.mark.parametrize("path", SHOWN)
@pytest.mark.parametrize("name", ["alice", "bob", "rita"])
def test_the_team_sees_them(
    as_user: SignIn, request: pytest.FixtureRequest, paths: Callable[[str], str], name: str, path: str
) -> None:
    answer = as_user(request.getfixturevalue(name)).get(paths(path))
    assert answer.status_code == 200
    assert "CheckoutSlow" in answer.content.decode()


@pytest.mark.parametrize("path", [*SHOWN, STREAM])
@pytest.mark.parametrize("random", RANDOM)
def test_an_outsider_gets_the_bytes_of_a_random_id(
    as_user: SignIn, charlie: User, paths: Callable[[str], str], path: str, random: str
) -> None:
    client = as_user(charlie)
    foreign, unknown = client.get(paths(path)), client.get(path.format(incident=random, diagnosis=random))
    assert foreign.status_code == unknown.status_code == 404
    assert foreign.content == unknown.content


@pytest.mark.parametrize("path", POSTED)
def test_an_outsiders_post_changes_nothing_and_tells_nothing(
    as_user: SignIn, charlie: User, incident: Incident, paths: Callable[[str], str], path: str
) -> None:
    client = as_user(charlie)
    foreign = client.post(paths(path), {"text": "hello"})
    unknown = client.post(path.format(incident=RANDOM[0], diagnosis=RANDOM[0]), {"text": "hello"})
    assert foreign.status_code == unknown.status_code == 404
    assert foreign.content == unknown.content
    unchanged(incident)


@pytest.mark.parametrize("path", POSTED)
def test_a_reader_cannot_post(
    as_user: SignIn, rita: User, incident: Incident, paths: Callable[[str], str], path: str
) -> None:
    assert as_user(rita).post(paths(path), {"text": "hello"}).status_code == 404
    unchanged(incident)


def test_a_reader_sees_no_buttons(as_user: SignIn, rita: User, bob: User, paths: Callable[[str], str]) -> None:
    for path in ("/incidents/{incident}/", "/diagnoses/{diagnosis}/"):
        read, steered = (as_user(user).get(paths(path)).content.decode() for user in (rita, bob))
        # Language and signing out are everybody's.
        assert read.count("<form") == 2 < steered.count("<form")


@pytest.mark.parametrize("path", [*SHOWN, "/incidents/"])
def test_who_is_not_signed_in_is_sent_to_sign_in(client: Client, paths: Callable[[str], str], path: str) -> None:
    assert client.get(paths(path))["Location"].startswith("/accounts/login/?next=")


def test_a_stream_for_nobody_is_no_stream(client: Client, paths: Callable[[str], str]) -> None:
    assert client.get(paths(STREAM)).status_code == 404


def test_an_outsiders_list_is_empty(as_user: SignIn, charlie: User, incident: Incident) -> None:
    assert "CheckoutSlow" not in as_user(charlie).get("/incidents/").content.decode()


@pytest.mark.parametrize("path", POSTED)
def test_a_change_needs_a_post(as_user: SignIn, bob: User, paths: Callable[[str], str], path: str) -> None:
    assert as_user(bob).get(paths(path)).status_code == 405


def test_a_form_of_another_site_is_refused(bob: User, incident: Incident) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(bob)
    assert client.post(f"/incidents/{incident.pk}/acknowledge/").status_code == 403
    unchanged(incident)


def unchanged(incident: Incident) -> None:
    incident.refresh_from_db()
    assert incident.acknowledged_at is None
    assert not incident.notes.exists()
    assert [diagnosis.status for diagnosis in Diagnosis.objects.all()] in ([RUNNING], [])
    assert not Diagnosis.objects.exclude(job_id="").filter(retry_of_diagnosis_id__isnull=False).exists()
