"""A walk through ``/aiops/data-sources`` and ``/aiops/services``, with what goes wrong named by its field."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from oncall.models import Team, User

pytestmark = pytest.mark.django_db
JSON = "application/json"


@pytest.fixture
def admin(as_user: Callable[[User], Client], alice: User, team: Team) -> Client:
    return as_user(alice)


@pytest.fixture
def post(admin: Client, team: Team) -> Callable[..., Any]:
    def send(path: str, **values: Any) -> Any:
        return admin.post(path, {"ownerUserId": team.pk, **values}, content_type=JSON)

    return send


def faults(answer: Any) -> set[str]:
    assert answer.status_code == 400, answer.content
    return {error["attr"].split(".")[0] for error in answer.json()["errors"]}


def test_a_source_from_birth_to_end(admin: Client, post: Callable[..., Any], team: Team) -> None:
    made = post("/aiops/data-sources", name="main", kind="prometheus", url="http://localhost:9090")
    assert made.status_code == 201
    body = made.json()
    assert body["id"].startswith("src_") and body["ownerUserId"] == team.pk and body["enabled"] is True
    assert (body["checkedAt"], body["checkResult"], body["incidentId"]) == (None, "", None)
    address = f"/aiops/data-sources/{body['id']}"
    assert admin.get(address).json() == body
    assert admin.get("/aiops/data-sources").json()["results"] == [body]
    assert post("/aiops/data-sources", name="main", kind="prometheus", url="http://localhost").status_code == 409
    other = post("/aiops/data-sources", name="other", kind="prometheus", url="http://localhost").json()
    taken = admin.patch(f"/aiops/data-sources/{other['id']}", {"name": "main"}, content_type=JSON)
    assert taken.status_code == 409
    changed = admin.patch(address, {"enabled": False, "name": "old"}, content_type=JSON).json()
    assert (changed["enabled"], changed["name"]) == (False, "old") and changed["updatedAt"] > body["updatedAt"]
    assert admin.delete(address).status_code == 204
    assert admin.get(address).status_code == 403


@pytest.mark.parametrize(
    "url",
    [
        "",
        "x",
        "ftp://localhost",
        "http://169.254.169.254",
        "http://a:b@localhost",
        "http://2130706433",
        "http://10.0.0.1",
    ],
)
def test_a_url_that_is_never_connected_is_refused_at_once(post: Callable[..., Any], url: str) -> None:
    assert faults(post("/aiops/data-sources", name="n", kind="prometheus", url=url)) == {"url"}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("name", "x" * 201),
        ("name", "a\x00"),
        ("kind", "recorded"),
        ("kind", "loki"),
        ("url", 5.5),
        ("enabled", "perhaps"),
        ("ownerUserId", "x"),
        ("ownerUserId", 2**70),
    ],
)
def test_a_bad_field_of_a_source_is_named(post: Callable[..., Any], field: str, value: Any) -> None:
    body = {"name": "n", "kind": "prometheus", "url": "http://localhost", field: value}
    assert faults(post("/aiops/data-sources", **body)) == {field}


def test_a_service_from_birth_to_end(admin: Client, post: Callable[..., Any]) -> None:
    payment = post("/aiops/services", name="payment", kind="external").json()
    definition = {
        "name": "checkout",
        "selector": {"job": "checkout", "pod=~": "checkout-.*"},
        "presets": ["red", {"name": "cadvisor", "selector": {"namespace": "shop"}}],
        "templates": {"saturation": "pool{$selector}"},
        "calls": ["payment"],
    }
    made = post("/aiops/services", **definition)
    assert made.status_code == 201, made.content
    body = made.json()
    assert {key: body[key] for key in definition} == definition and body["kind"] == "own"
    address = f"/aiops/services/{body['id']}"
    assert admin.get(address).json() == body
    assert [row["name"] for row in admin.get("/aiops/services").json()["results"]] == ["checkout", "payment"]
    assert [row["id"] for row in admin.get("/aiops/services?name=payment").json()["results"]] == [payment["id"]]
    assert admin.get("/aiops/services?nam=x").status_code == 400
    assert post("/aiops/services", name="checkout").status_code == 409
    changed = admin.patch(address, {"calls": [], "templates": {}}, content_type=JSON)
    assert (changed.json()["calls"], changed.json()["templates"], changed.json()["selector"]) == (
        [],
        {},
        definition["selector"],
    )
    assert admin.patch(address, {"name": "payment"}, content_type=JSON).status_code == 409
    assert admin.delete(address).status_code == 204
    assert admin.get(address).status_code == 403


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", " "),
        ("kind", "cloud"),
        ("selector", []),
        ("selector", {"a b": "x"}),
        ("selector", {'job="x"} or up{a': "x"}),
        ("selector", {"job": 5}),
        ("selector", {"job": "a\x00"}),
        ("selector", {f"l{n}": "x" for n in range(21)}),
        ("presets", "red"),
        ("presets", ["blue"]),
        ("presets", [5]),
        ("presets", [{"name": "red", "selector": {"a-b": "x"}}]),
        ("presets", [{"nam": "red"}]),
        ("templates", []),
        ("templates", {"luck": "up"}),
        ("templates", {"cpu": ""}),
        ("templates", {"cpu": ["up"]}),
        ("calls", ["nobody"]),
        ("calls", ["n"]),
        ("calls", "n"),
        ("calls", [["n"]]),
    ],
)
def test_a_bad_field_of_a_service_is_named(post: Callable[..., Any], field: str, value: Any) -> None:
    assert faults(post("/aiops/services", **{"name": "n", field: value})) == {field}


@pytest.mark.parametrize("selector", [{}, {"job": ""}, {"job=~": ".*"}, {"job!=": "x"}])
def test_presets_need_a_selector_that_picks_something(post: Callable[..., Any], selector: Any) -> None:
    assert faults(post("/aiops/services", name="n", selector=selector, presets=["red"])) == {"selector"}
    assert faults(post("/aiops/services", name="n", selector=selector, templates={"cpu": "x{$selector}"})) == {
        "selector"
    }


def test_changes_are_checked_against_what_is_there(admin: Client, post: Callable[..., Any]) -> None:
    made = post("/aiops/services", name="n", selector={"job": "n"}, presets=["red"]).json()
    answer = admin.patch(f"/aiops/services/{made['id']}", {"selector": {}}, content_type=JSON)
    assert faults(answer) == {"selector"}


def test_the_schema_has_every_operation(admin: Client) -> None:
    schema = admin.get("/api/schema", headers={"Accept": "application/vnd.oai.openapi+json"}).json()
    for path in ("/aiops/data-sources", "/aiops/services"):
        listed, one, check = (schema["paths"][f"{path}{rest}"] for rest in ("", *_rests(path)))
        assert set(listed) == {"get", "post"} and set(one) == {"get", "patch", "delete"} and set(check) == {"post"}
        assert {"201", "400", "401", "403", "409", "413", "415"} <= set(listed["post"]["responses"])
        assert "200" in check["post"]["responses"] and "403" in check["post"]["responses"]


def _rests(path: str) -> tuple[str, str]:
    name = {"/aiops/data-sources": "source_id", "/aiops/services": "service_id"}[path]
    return f"/{{{name}}}", f"/{{{name}}}:check"
