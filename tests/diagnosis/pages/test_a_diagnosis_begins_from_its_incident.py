"""“Diagnose” begins a diagnosis and goes there; while one is under way it leads to that one."""

from collections.abc import Callable

import pytest
from django.test import Client

from diagnosis.models import Alert, Diagnosis
from diagnosis.states import PENDING, RESOLVED, RUNNING
from jobs.models import Job
from oncall.models import Team, User
from tests.diagnosis.factories import make_alert, make_diagnosis, make_incident

SignIn = Callable[[User], Client]


@pytest.mark.parametrize("verb", ["diagnose", "refresh"])
def test_it_begins_and_the_page_goes_there(as_user: SignIn, bob: User, alert: Alert, verb: str) -> None:
    answer = as_user(bob).post(f"/incidents/{alert.incident_id}/{verb}/")
    diagnosis = Diagnosis.objects.get()
    assert answer["Location"] == f"/diagnoses/{diagnosis.pk}/"
    assert (diagnosis.status, diagnosis.incident_id, diagnosis.owner_user_id) == (
        PENDING,
        alert.incident_id,
        alert.owner_user_id,
    )
    assert Job.objects.get(pk=diagnosis.job_id).kind == "aiops_diagnosis"


@pytest.mark.parametrize("verb", ["diagnose", "refresh"])
def test_a_second_one_leads_to_the_first(
    as_user: SignIn, bob: User, alert: Alert, diagnosed: Callable[..., Diagnosis], verb: str
) -> None:
    under_way = diagnosed(status=RUNNING)
    answer = as_user(bob).post(f"/incidents/{alert.incident_id}/{verb}/", follow=True)
    assert answer.redirect_chain[-1][0] == f"/diagnoses/{under_way.pk}/"
    assert "This incident is being diagnosed already" in answer.content.decode()
    assert Diagnosis.objects.count() == 1


def test_the_incident_offers_what_fits(
    as_user: SignIn, bob: User, alert: Alert, diagnosed: Callable[..., Diagnosis]
) -> None:
    client, path = as_user(bob), f"/incidents/{alert.incident_id}/"
    assert "/diagnose/" in client.get(path).content.decode()
    diagnosed()
    seen = client.get(path).content.decode()
    assert "/refresh/" in seen and "/diagnose/" not in seen
    diagnosed(status=RUNNING)
    seen = client.get(path).content.decode()
    assert "Watch the diagnosis" in seen and "/refresh/" not in seen


def test_one_that_is_over_is_diagnosed_around_its_alert_again(as_user: SignIn, bob: User, team: Team) -> None:
    """Up to now there would be nothing of it in the data."""
    over = make_incident(team, state=RESOLVED)
    make_diagnosis(team, alert=make_alert(team, incident=over, state=RESOLVED))
    seen = as_user(bob).get(f"/incidents/{over.pk}/").content.decode()
    assert "/diagnose/" in seen and "/refresh/" not in seen
