"""The scope named in the settings is the only one: one's own jobs and one's teams', never the system's."""

import pytest

from jobs.models import Job
from jobs.querysets import visible_owner_ids
from oncall.models import Team, User
from tests.jobs.factories import make_job

pytestmark = pytest.mark.django_db


def seen_by(user: User) -> set[str]:
    return {job.kind for job in Job.objects.owned_by(visible_owner_ids(user))}


def test_who_sees_which_job(team: Team, alice: User, bob: User, charlie: User) -> None:
    for name, owner in {"hers": alice, "his": bob, "theirs": team, "strange": charlie, "system": None}.items():
        make_job(kind=name, owner=owner)
    assert seen_by(alice) == {"hers", "theirs"}
    assert seen_by(bob) == {"his", "theirs"}
    assert seen_by(charlie) == {"strange"}


def test_staff_sees_no_more(team: Team, charlie: User) -> None:
    make_job(owner=team)
    charlie.is_staff = charlie.is_superuser = True
    charlie.save()
    assert seen_by(charlie) == set()
