"""Making a team: people give it a name, its user name is ours, since nobody ever signs in with it."""

from django.utils.crypto import get_random_string
from django.utils.text import slugify

from oncall.models import Team


def username_for(name: str) -> str:
    """A user name for a new team that no person or team has: recognisable, and unique by its end."""
    return f"team-{slugify(name)[:100] or 'x'}-{get_random_string(6).lower()}"


def create_team(name: str) -> Team:
    return Team.objects.create(username=username_for(name), first_name=name)
