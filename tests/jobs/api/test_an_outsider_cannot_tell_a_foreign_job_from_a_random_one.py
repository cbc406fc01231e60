"""A foreign id, a random one and nonsense get the same bytes on every call; the team reaches its own."""

from collections.abc import Callable
from urllib.parse import quote

import pytest
from django.test import Client

from jobs.states import FAILED
from oncall.api.ids import new_id
from oncall.models import Team, User
from tests.jobs.factories import make_job

pytestmark = pytest.mark.django_db
As = Callable[[User], Client]
CALLS = [
    ("GET", ""),
    ("POST", ":cancel"),
    ("POST", ":retry"),
    ("GET", "/events"),
    ("GET", "/events:stream"),
    ("GET", "/attempts"),
]
NONSENSE = ["x", "1", "None", "' OR 1=1 --", "%00", "\x00", "é" * 10, "9" * 5000, "..", " ", "a:b", "job_:other"]


@pytest.mark.parametrize(("verb", "below"), CALLS)
def test_equal_bytes(as_user: As, charlie: User, team: Team, verb: str, below: str) -> None:
    foreign = make_job(owner=team, status=FAILED, events=1)
    outsider = as_user(charlie)
    answers = {
        (response.status_code, response.content)
        for pk in [foreign.pk, new_id("job"), *NONSENSE]
        for response in [outsider.generic(verb, f"/background-jobs/{quote(pk, safe='')}{below}")]
    }
    assert len(answers) == 1
    status, body = answers.pop()
    assert status == 403 and b"AUTH_FORBIDDEN" in body


@pytest.mark.parametrize(("verb", "below"), CALLS)
def test_a_bad_parameter_tells_nothing_either(as_user: As, charlie: User, team: Team, verb: str, below: str) -> None:
    foreign = make_job(owner=team, status=FAILED)
    for pk in (foreign.pk, new_id("job")):
        path = f"/background-jobs/{pk}{below}?afterSequence=x&cursor=cD0x&nonsense=1"
        assert as_user(charlie).generic(verb, path).status_code == 403


@pytest.mark.parametrize("verb", ["GET", "POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("below", sorted({below for _, below in CALLS}))
def test_other_verbs_tell_nothing(as_user: As, charlie: User, team: Team, verb: str, below: str) -> None:
    foreign = make_job(owner=team, status=FAILED)
    answers = {
        (response.status_code, response.content)
        for pk in (foreign.pk, new_id("job"))
        for response in [as_user(charlie).generic(verb, f"/background-jobs/{pk}{below}")]
    }
    assert len(answers) == 1
    assert answers.pop()[0] == (403 if (verb, below) in CALLS else 405)


@pytest.mark.parametrize(("verb", "below"), CALLS)
def test_without_credentials_it_is_401(client: Client, team: Team, verb: str, below: str) -> None:
    job = make_job(owner=team, status=FAILED)
    response = client.generic(verb, f"/background-jobs/{job.pk}{below}")
    assert response.status_code == 401
    assert response["WWW-Authenticate"] == "Bearer"


def test_owner_and_teammates_see_it_and_outsiders_do_not(
    as_user: As, alice: User, bob: User, rita: User, charlie: User, team: Team
) -> None:
    ours, hers = make_job(owner=team), make_job(owner=alice)
    lists = {user.username: _ids(as_user(user)) for user in (alice, bob, rita, charlie)}
    assert lists == {"alice": {ours.pk, hers.pk}, "bob": {ours.pk}, "rita": {ours.pk}, "charlie": set()}
    assert as_user(bob).get(f"/background-jobs/{ours.pk}").status_code == 200
    assert as_user(bob).get(f"/background-jobs/{hers.pk}").status_code == 403


def test_the_systems_jobs_are_nobodys(as_user: As, alice: User) -> None:
    system = make_job(owner=None, status=FAILED)
    alice.is_staff = alice.is_superuser = True
    alice.save()
    client = as_user(alice)
    assert _ids(client) == set()
    for verb, below in CALLS:
        assert client.generic(verb, f"/background-jobs/{system.pk}{below}").status_code == 403


def _ids(client: Client) -> set[str]:
    return {row["id"] for row in client.get("/background-jobs").json()["results"]}
