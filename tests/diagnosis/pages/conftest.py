"""An incident of the team with a firing alert, and diagnoses of it."""

from collections.abc import Callable
from typing import Any

import pytest

from diagnosis.models import Alert, Diagnosis, Incident
from oncall.models import Team
from tests.diagnosis.factories import make_alert, make_diagnosis, make_incident


@pytest.fixture
def incident(team: Team) -> Incident:
    return make_incident(team, title="CheckoutSlow on checkout")


@pytest.fixture
def alert(team: Team, incident: Incident) -> Alert:
    return make_alert(team, incident=incident)


@pytest.fixture
def diagnosed(team: Team, alert: Alert) -> Callable[..., Diagnosis]:
    """``diagnosed(status=RUNNING)``: a diagnosis of the incident; ``events``: what its job has said."""

    def make(*, events: Any = None, **fields: Any) -> Diagnosis:
        job = {"events": events} if events is not None else None
        return make_diagnosis(team, alert=alert, job=job, **fields)

    return make
