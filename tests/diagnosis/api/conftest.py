"""The people of a team and an outsider, and a finished diagnosis that belongs to the team."""

from collections.abc import Callable

import pytest
from django.test import Client

from diagnosis.models import Diagnosis
from oncall.models import Team, User
from tests.diagnosis.factories import make_diagnosis


@pytest.fixture
def people(alice: User, bob: User, rita: User, charlie: User, team: Team) -> dict[str, User]:
    """Admin, responder, reader, outsider."""
    return {"alice": alice, "bob": bob, "rita": rita, "charlie": charlie}


@pytest.fixture
def diagnosis(team: Team) -> Diagnosis:
    return make_diagnosis(team)


@pytest.fixture
def client(as_user: Callable[[User], Client], alice: User) -> Client:
    return as_user(alice)
