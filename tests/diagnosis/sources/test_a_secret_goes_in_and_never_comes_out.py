"""A source's secret is encrypted, never answered, never shown, and gone as soon as it would go somewhere else."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.admin.utils import quote
from django.test import Client

from diagnosis.datasources.opening import endpoint_of
from diagnosis.datasources.protocol import SourceFailed
from diagnosis.models import DataSource
from oncall.models import Team, User
from tests.diagnosis.sources.misbehaving import Misbehaving

pytestmark = pytest.mark.django_db
As = Callable[[User], Client]
JSON = "application/json"
TOKEN = "hush-4711"


@pytest.fixture
def admin(as_user: As, alice: User) -> Client:
    return as_user(alice)


def make(client: Client, team: Team, url: str = "http://127.0.0.1:9090/prometheus", **values: Any) -> Any:
    body = {"name": "p", "kind": "prometheus", "url": url, "ownerUserId": team.pk, "secret": {"bearerToken": TOKEN}}
    answer = client.post("/aiops/data-sources", {**body, **values}, content_type=JSON)
    assert answer.status_code == 201, answer.content
    return answer.json()


def patch(client: Client, made: Any, **values: Any) -> Any:
    return client.patch(f"/aiops/data-sources/{made['id']}", values, content_type=JSON)


def test_no_answer_holds_it(admin: Client, team: Team) -> None:
    made = make(admin, team)
    address = f"/aiops/data-sources/{made['id']}"
    answers = [made, admin.get(address).json(), admin.get("/aiops/data-sources").json(), patch(admin, made).json()]
    assert TOKEN not in json.dumps(answers) and "secret" not in made
    assert [made["hasSecret"], admin.get(address).json()["hasSecret"]] == [True, True]
    stored = DataSource.objects.get(pk=made["id"]).secret
    assert stored and TOKEN not in stored


def test_it_is_sent_to_the_source_and_nowhere_else(admin: Client, team: Team, misbehaving: Misbehaving) -> None:
    misbehaving.says(b"", status=302, Location="http://127.0.0.2/")
    made = make(admin, team, misbehaving.url)
    checked = admin.post(f"/aiops/data-sources/{made['id']}:check")
    assert checked.json()["result"] == "bad_answer"
    assert [headers["Authorization"] for _, headers in misbehaving.asked] == [f"Bearer {TOKEN}"]


def test_a_name_with_a_password(admin: Client, team: Team, misbehaving: Misbehaving) -> None:
    misbehaving.says(b"no")
    made = make(admin, team, misbehaving.url, secret={"username": "grüße", "password": "a:b"})
    admin.post(f"/aiops/data-sources/{made['id']}:check")
    assert misbehaving.asked[0][1]["Authorization"].startswith("Basic ")


@pytest.mark.parametrize(
    "url", ["http://127.0.0.2:9090/prometheus", "http://127.0.0.1:9091/prometheus", "https://127.0.0.1:9090/prometheus"]
)
def test_another_host_port_or_scheme_takes_it_away(admin: Client, team: Team, url: str) -> None:
    made = make(admin, team)
    changed = patch(admin, made, url=url)
    assert (changed.status_code, changed.json()["url"], changed.json()["hasSecret"]) == (200, url, False)
    assert endpoint_of(DataSource.objects.get(pk=made["id"])).auth is None


def test_another_path_or_name_leaves_it(admin: Client, team: Team) -> None:
    made = make(admin, team)
    assert patch(admin, made, url="http://127.0.0.1:9090/other", name="q", enabled=False).json()["hasSecret"] is True


def test_a_new_one_may_come_with_the_new_host(admin: Client, team: Team) -> None:
    made = make(admin, team)
    changed = patch(admin, made, url="http://127.0.0.2:9090", secret={"bearerToken": "other"})
    assert changed.json()["hasSecret"] is True
    assert "other" in str(endpoint_of(DataSource.objects.get(pk=made["id"])).auth)


def test_null_takes_it_away(admin: Client, team: Team) -> None:
    made = make(admin, team)
    assert patch(admin, made, secret=None).json()["hasSecret"] is False


@pytest.mark.parametrize(
    "secret",
    [
        {},
        "text",
        [],
        {"bearerToken": ""},
        {"bearerToken": "a\r\nX-Evil: b"},
        {"bearerToken": "é"},
        {"bearerToken": "x" * 5_000},
        {"bearerToken": "a", "username": "b", "password": "c"},
        {"username": "a"},
        {"username": "a:b", "password": "c"},
        {"username": "a\n", "password": "c"},
    ],
)
def test_one_that_makes_no_sense_is_named(admin: Client, team: Team, secret: Any) -> None:
    made = make(admin, team)
    answer = patch(admin, made, secret=secret)
    assert answer.status_code == 400 and b"Evil" not in answer.content
    assert {error["attr"].split(".")[0] for error in answer.json()["errors"]} == {"secret"}
    assert admin.get(f"/aiops/data-sources/{made['id']}").json()["hasSecret"] is True


def test_a_key_that_no_longer_fits_is_a_failure_that_says_so(admin: Client, team: Team, settings: Any) -> None:
    made = make(admin, team)
    settings.ONCALL_ENCRYPTION_KEY = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
    with pytest.raises(SourceFailed, match="another key"):
        endpoint_of(DataSource.objects.get(pk=made["id"]))
    assert admin.post(f"/aiops/data-sources/{made['id']}:check").json()["result"] == "unauthorised"


def test_the_admin_does_not_show_it(as_user: As, admin: Client, team: Team, admin_user: User) -> None:
    made = make(admin, team)
    staff = as_user(admin_user)
    for path in ("", f"{quote(made['id'])}/change/"):
        page = staff.get(f"/admin/diagnosis/datasource/{path}").content.decode()
        assert quote(made["id"]) in page
        assert TOKEN not in page and DataSource.objects.get(pk=made["id"]).secret not in page
