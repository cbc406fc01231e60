"""Forty alerts of one outage do not push the facts off the page: three are open, firing ones first, the rest folded."""

from collections.abc import Callable

from django.test import Client

from diagnosis.models import Diagnosis, Incident
from diagnosis.states import RESOLVED
from oncall.models import Team, User
from tests.diagnosis.factories import make_alert


def test_three_are_open_and_the_rest_is_folded(
    as_user: Callable[[User], Client],
    alice: User,
    team: Team,
    incident: Incident,
    diagnosed: Callable[..., Diagnosis],
) -> None:
    diagnosed()
    for number in range(39):
        make_alert(team, incident=incident, name=f"Over{number:02}", state=RESOLVED)
    page = as_user(alice).get(f"/incidents/{incident.pk}/").content.decode()
    assert page.count('<li class="alert">') == 40
    before, folded = page.split("37 more alerts")
    assert before.count('<li class="alert">') == 3 and "firing</span>" in before.split('<li class="alert">')[1]
    assert folded.index("Over") < folded.index("histogram_quantile") < folded.index(">Diagnoses<")
