"""Legal rows for tests. People: alice owns, bob is a teammate, charlie a stranger; a team has one of each role."""

from typing import Any

from oncall.models import Membership, Team, Token, User
from oncall.tokens import create_token

PASSWORD = "correct horse battery staple"


def make_person(username: str, **fields: Any) -> User:
    return User.objects.create_user(username, password=PASSWORD, **fields)


def make_team(name: str, **members: User) -> Team:
    """A team; ``make_team("ops", admin=alice, reader=bob)`` gives the members their roles."""
    team = Team.objects.create(username=name)
    for role, user in members.items():
        Membership.objects.create(user=user, team=team, role=role)
    return team


def make_token(user: User, **values: Any) -> tuple[Token, str]:
    """A token row and its text; ``owner`` is a user or a team (default: the user)."""
    owner = values.pop("owner", None)
    return create_token(user, owner_id=owner.pk if owner is not None else None, **{"name": "test", **values})
