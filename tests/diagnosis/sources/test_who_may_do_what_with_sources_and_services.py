"""Readers see, responders check, admins of the team make and change; a foreign id is answered as a random one is."""

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from diagnosis.models import DataSource, Service
from oncall.api.ids import new_id
from oncall.models import Team, User
from tests.factories import make_token

pytestmark = pytest.mark.django_db
As = Callable[[User], Client]
JSON = "application/json"
VERBS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
NONSENSE = ["x", "1", "None", "' OR 1=1 --", "\x00", "a:b", "é" * 10, "9" * 5000, "..", " "]
PATHS = [
    "/aiops/data-sources/{src}",
    "/aiops/data-sources/{src}:check",
    "/aiops/services/{svc}",
    "/aiops/services/{svc}:check",
]


@pytest.fixture
def source(team: Team) -> DataSource:
    return DataSource.objects.create(owner_user=team, name="p", kind="prometheus", url="http://127.0.0.1:1")


@pytest.fixture
def service(team: Team) -> Service:
    return Service.objects.create(owner_user=team, name="checkout", selector={"job": "checkout"}, presets=["red"])


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("path", PATHS)
def test_equal_bytes(as_user: As, source: DataSource, service: Service, charlie: User, path: str, verb: str) -> None:
    foreign = {"src": source.pk, "svc": service.pk}
    cases = [foreign, {"src": new_id("src"), "svc": new_id("svc")}]
    cases += [dict.fromkeys(foreign, quote(text, safe="")) for text in NONSENSE]
    outsider = as_user(charlie)
    answers = {
        (answer.status_code, answer.content)
        for answer in (outsider.generic(verb, path.format(**case)) for case in cases)
    }
    assert len(answers) == 1
    status, body = answers.pop()
    assert (status, b"AUTH_FORBIDDEN" in body) in {(403, True), (405, False)}


def test_an_outsider_lists_nothing(as_user: As, source: DataSource, service: Service, charlie: User) -> None:
    client = as_user(charlie)
    assert client.get("/aiops/data-sources").json()["results"] == []
    assert client.get("/aiops/services").json()["results"] == []


@pytest.mark.parametrize(("who", "sees", "checks", "changes"), [
    ("alice", 200, 200, 200), ("bob", 200, 200, 403), ("rita", 200, 403, 403), ("charlie", 403, 403, 403),
])  # fmt: skip
def test_roles(
    as_user: As,
    request: pytest.FixtureRequest,
    source: DataSource,
    service: Service,
    who: str,
    sees: int,
    checks: int,
    changes: int,
) -> None:
    client = as_user(request.getfixturevalue(who))
    for address in (f"/aiops/data-sources/{source.pk}", f"/aiops/services/{service.pk}"):
        assert client.get(address).status_code == sees
        assert client.post(f"{address}:check").status_code == checks
        assert client.patch(address, {"name": "new"}, content_type=JSON).status_code == changes
        assert client.delete(address).status_code == (204 if changes == 200 else 403)


def new_source(client: Client, owner: Any = None) -> int:
    body = {"name": "n", "kind": "prometheus", "url": "http://127.0.0.1:9090"}
    body |= {} if owner is None else {"ownerUserId": owner}
    return client.post("/aiops/data-sources", body, content_type=JSON).status_code


def test_sources_are_made_by_admins_of_a_team_and_by_staff(
    as_user: As, team: Team, alice: User, bob: User, charlie: User, admin_user: User
) -> None:
    assert new_source(as_user(alice), team.pk) == 201
    assert new_source(as_user(alice)) == 403, "a person who is not staff names no address for this server"
    assert new_source(as_user(bob), team.pk) == 403
    assert new_source(as_user(charlie), team.pk) == new_source(as_user(charlie), 10**9) == 403
    assert new_source(as_user(admin_user)) == 201
    assert new_source(as_user(admin_user), team.pk) == 403, "staff, but not of this team"


def test_services_are_made_by_their_owner(as_user: As, team: Team, alice: User, bob: User, charlie: User) -> None:
    def make(user: User, **owner: Any) -> int:
        return as_user(user).post("/aiops/services", {"name": "s", **owner}, content_type=JSON).status_code

    assert make(alice, ownerUserId=team.pk) == make(charlie) == 201
    assert make(bob, ownerUserId=team.pk) == make(charlie, ownerUserId=alice.pk) == 403


def test_a_token_that_reads_changes_and_checks_nothing(
    as_token: Callable[[str], Client], source: DataSource, alice: User
) -> None:
    _, text = make_token(alice, scope="read")
    client = as_token(text)
    address = f"/aiops/data-sources/{source.pk}"
    assert client.get(address).status_code == 200
    assert client.post(f"{address}:check").status_code == client.delete(address).status_code == 403
    assert Client().get(address).status_code == 401


def test_a_service_calls_only_services_of_its_owner(as_user: As, service: Service, charlie: User) -> None:
    answer = as_user(charlie).post("/aiops/services", {"name": "a", "calls": ["checkout"]}, content_type=JSON)
    assert answer.status_code == 400 and answer.json()["errors"][0]["attr"] == "calls"


def test_operators_read_them_in_the_admin(as_user: As, service: Service, admin_user: User, alice: User) -> None:
    page = f"/admin/diagnosis/service/{service.pk}/change/"
    assert as_user(admin_user).get(page).status_code == 200
    assert as_user(admin_user).post(page, {"name": "x"}).status_code == 403
    assert as_user(alice).get(page).status_code == 302
