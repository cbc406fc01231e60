"""The one owner scope: whose rows a user may see, and in which role. Pages and API use it for staff too."""

from collections.abc import Set
from typing import TYPE_CHECKING

from oncall.models import Membership

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser

    from oncall.models import User

RANK = {Membership.Role.READER: 1, Membership.Role.RESPONDER: 2, Membership.Role.ADMIN: 3}


def visible_owner_ids(user: "User | AnonymousUser", *, steer: bool = False) -> Set[int]:
    """The ids of the owners whose rows ``user`` may see (``steer``: may also change): the user and the user's teams."""
    return owner_ids_with_role(user, Membership.Role.RESPONDER if steer else Membership.Role.READER)


def owner_ids_with_role(user: "User | AnonymousUser", role: str) -> Set[int]:
    """The ids of the owners for whom ``user`` may do what needs at least ``role``; always all of one's own rows.

    A user who came with a team's token (``only_owner_id``) has that team's rows alone, in the user's present role.
    """
    if user.pk is None or not user.is_active:
        return frozenset()
    enough = [name for name, rank in RANK.items() if rank >= RANK[Membership.Role(role)]]
    teams = Membership.objects.filter(user_id=user.pk, role__in=enough, team__is_active=True)
    owner_ids = frozenset([user.pk, *teams.values_list("team_id", flat=True)])
    limit = getattr(user, "only_owner_id", None)
    return owner_ids if limit is None else owner_ids & {limit}


def default_owner_id(user: "User") -> int:
    """Whose row it becomes when a call names no owner: one's own, or the team's whose token the call came with."""
    return user.only_owner_id or user.pk
