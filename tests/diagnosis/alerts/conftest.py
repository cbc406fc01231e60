"""People's catalogue and rules, and a client that posts as Alertmanager does."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from diagnosis.models import Service, ServiceEdge
from diagnosis.rules import create_rule
from oncall.models import Team, User
from tests.factories import make_token


@pytest.fixture
def catalogue() -> Callable[..., None]:
    """``catalogue(owner, ("web", "checkout"), …)``: the first of each pair calls the second."""

    def make(owner: User, *calls: tuple[str, str]) -> None:
        services = {
            name: Service.objects.create(owner_user=owner, name=name)
            for name in sorted({name for call in calls for name in call})
        }
        for caller, callee in calls:
            ServiceEdge.objects.create(caller=services[caller], callee=services[callee])

    return make


@pytest.fixture
def pages_rule(alice: User) -> None:
    """A rule of alice: what pages, or has the severity critical, is diagnosed."""
    create_rule(owner_id=alice.pk, name="pages", matchers={"severity": ["page", "critical"]})


@pytest.fixture
def alertmanager(alice: User, team: Team, as_token: Callable[[str], Client]) -> Callable[..., Any]:
    """Posts a body with a token of the team of the scope ``alerts:write``."""
    _, text = make_token(alice, owner=team, scope="alerts:write")
    client = as_token(text)
    return lambda body: client.post("/aiops/alerts/alertmanager", body, content_type="application/json")
