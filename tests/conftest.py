"""Fixtures for every test: quick password hashes, and the people whom rules about owners are told with."""

import os
from collections.abc import Callable
from typing import Any

import hypothesis
import pytest
from django.test import Client

from oncall.models import Membership, Team, User
from tests.factories import make_person, make_team

# "steady": the same examples at every run and on every machine, so a change that fails is the change's doing.
# "thorough" (HYPOTHESIS_PROFILE=thorough) looks for new ones. Neither keeps what it found: an example that failed is
# written into its test with @example, where everybody has it, and not into a folder that one machine replays for ever.
# How long an example takes is the machine's affair, so no deadline and no complaint about slowness.
_ANY_PACE = hypothesis.settings(database=None, deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.register_profile("steady", _ANY_PACE, derandomize=True, max_examples=100)
hypothesis.settings.register_profile("thorough", _ANY_PACE, max_examples=2_000, print_blob=True)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


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
