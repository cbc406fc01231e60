"""Fixtures for every test: quick password hashes, and the people whom rules about owners are told with."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from oncall.models import Membership, Team, User
from tests.factories import make_person, make_team


@pytest.fixture(autouse=True)
def quick_passwords(settings: Any) -> None:
    """A real hash takes a third of a second on purpose; no rule here is about that."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def alice(db: None) -> User:
    """The owner; admin of the team."""
    return make_person("alice")


@pytest.fixture
def bob(db: None) -> User:
    """The teammate: responder in the team."""
    return make_person("bob")


@pytest.fixture
def rita(db: None) -> User:
    """A reader in the team."""
    return make_person("rita")


@pytest.fixture
def charlie(db: None) -> User:
    """The outsider: in no team."""
    return make_person("charlie")


@pytest.fixture
def team(alice: User, bob: User, rita: User) -> Team:
    return make_team("ops", admin=alice, responder=bob, reader=rita)


@pytest.fixture
def set_role(team: Team) -> Callable[[User, str], None]:
    def change(user: User, role: str) -> None:
        Membership.objects.filter(user=user, team=team).update(role=role)

    return change


@pytest.fixture
def as_user() -> Callable[[User], Client]:
    """A client with the session of a user."""

    def signed_in(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return signed_in


@pytest.fixture
def as_token() -> Callable[[str], Client]:
    """A client that sends a token."""

    def bearing(text: str) -> Client:
        return Client(headers={"Authorization": f"Bearer {text}"})

    return bearing
