"""Whatever JSON is sent to sources and services is taken, refused by name, or a conflict; never a 500."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oncall.models import Team, User

pytestmark = pytest.mark.django_db
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
SELECTOR = st.dictionaries(st.sampled_from(["job", "pod=~", "a b", "", "x!="]), JSON, max_size=2)
SERVICE = st.fixed_dictionaries(
    {"name": st.text(min_size=1, max_size=8) | JSON},
    optional={
        "kind": st.sampled_from(["own", "client"]) | JSON,
        "selector": SELECTOR | JSON,
        "presets": st.lists(st.sampled_from(["red", "cadvisor", {"name": "red"}]) | JSON, max_size=2) | JSON,
        "templates": st.dictionaries(st.sampled_from(["cpu", "x"]), JSON, max_size=2) | JSON,
        "calls": JSON,
        "ownerUserId": JSON,
    },
)
SOURCE = st.fixed_dictionaries(
    {"name": st.text(min_size=1, max_size=8) | JSON, "kind": st.just("prometheus") | JSON},
    optional={
        "url": st.sampled_from(["http://localhost", "http://127.0.0.1:1/a"]) | st.text().map("http://{}".format) | JSON,
        "enabled": JSON,
        "secret": st.fixed_dictionaries({}, optional={"bearerToken": JSON, "username": JSON, "password": JSON}) | JSON,
    },
)
QUICKLY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def send(as_user: Callable[[User], Client], alice: User, team: Team) -> Callable[[str, Any], None]:
    client = as_user(alice)

    def both(path: str, body: Any) -> None:
        body = {"ownerUserId": team.pk, **body}
        made = client.post(path, json.dumps(body), content_type="application/json")
        assert made.status_code in (201, 400, 403, 409), made.content
        if made.status_code == 201:
            body.pop("ownerUserId")
            address = f"{path}/{made.json()['id']}"
            changed = client.patch(address, json.dumps(body), content_type="application/json")
            assert changed.status_code in (200, 400, 409), changed.content
            assert client.get(address).status_code == 200
            assert client.delete(address).status_code == 204

    return both


@QUICKLY
@given(SERVICE)
def test_services(send: Callable[[str, Any], None], body: Any) -> None:
    send("/aiops/services", body)


@QUICKLY
@given(SOURCE)
def test_sources(send: Callable[[str, Any], None], body: Any) -> None:
    send("/aiops/data-sources", body)
