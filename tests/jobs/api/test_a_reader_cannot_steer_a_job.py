"""Cancel and retry need the responder's role and a token of full scope; whoever lacks them learns nothing more."""

from collections.abc import Callable

import pytest
from django.test import Client

from jobs.models import Job
from jobs.states import CANCELLED, FAILED, QUEUED
from oncall.api.ids import new_id
from oncall.models import Team, Token, User
from tests.factories import make_token
from tests.jobs.factories import make_job

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sample_kind")]
As = Callable[[User], Client]


@pytest.mark.parametrize("verb", ["cancel", "retry"])
def test_a_reader_gets_the_bytes_of_a_random_id(as_user: As, rita: User, team: Team, verb: str) -> None:
    job = make_job(owner=team, status=FAILED if verb == "retry" else QUEUED)
    reader = as_user(rita)
    assert reader.get(f"/background-jobs/{job.pk}").status_code == 200
    refused = reader.post(f"/background-jobs/{job.pk}:{verb}")
    unknown = reader.post(f"/background-jobs/{new_id('job')}:{verb}")
    assert (refused.status_code, refused.content) == (403, unknown.content)
    assert_untouched(job)


def test_a_responder_steers(as_user: As, bob: User, team: Team) -> None:
    waiting, failed = make_job(owner=team), make_job(owner=team, status=FAILED)
    assert as_user(bob).post(f"/background-jobs/{waiting.pk}:cancel").json()["status"] == CANCELLED
    retried = as_user(bob).post(f"/background-jobs/{failed.pk}:retry")
    assert (retried.status_code, retried.json()["ownerUserId"]) == (202, team.pk)


def test_a_responder_steers_no_jobs_of_the_members_themselves(as_user: As, alice: User, bob: User, team: Team) -> None:
    hers = make_job(owner=alice)
    assert as_user(bob).post(f"/background-jobs/{hers.pk}:cancel").status_code == 403
    assert_untouched(hers)


def test_a_role_that_was_lowered_counts_at_once(
    as_user: As, bob: User, team: Team, set_role: Callable[[User, str], None]
) -> None:
    job = make_job(owner=team)
    set_role(bob, "reader")
    assert as_user(bob).post(f"/background-jobs/{job.pk}:cancel").status_code == 403
    assert_untouched(job)


@pytest.mark.parametrize("scope", [Token.Scope.READ, Token.Scope.ALERTS_WRITE, Token.Scope.CHANGES_WRITE])
@pytest.mark.parametrize("verb", ["cancel", "retry"])
def test_a_token_of_smaller_scope_cannot(as_token: Callable[[str], Client], alice: User, scope: str, verb: str) -> None:
    job = make_job(owner=alice, status=FAILED if verb == "retry" else QUEUED)
    _, text = make_token(alice, scope=scope)
    client = as_token(text)
    assert client.get(f"/background-jobs/{job.pk}").status_code == (200 if scope == Token.Scope.READ else 403)
    refused = client.post(f"/background-jobs/{job.pk}:{verb}")
    unknown = client.post(f"/background-jobs/{new_id('job')}:{verb}")
    assert (refused.status_code, refused.content) == (403, unknown.content)
    assert_untouched(job)


def test_a_teams_token_reaches_that_teams_jobs_alone(
    as_token: Callable[[str], Client], alice: User, team: Team
) -> None:
    ours, hers = make_job(owner=team), make_job(owner=alice)
    _, text = make_token(alice, owner=team)
    client = as_token(text)
    assert client.post(f"/background-jobs/{ours.pk}:cancel").status_code == 200
    assert client.post(f"/background-jobs/{hers.pk}:cancel").status_code == 403


def assert_untouched(job: Job) -> None:
    made = {field.attname: getattr(job, field.attname) for field in Job._meta.fields}
    assert Job.objects.filter(pk=job.pk).values().get() == made
    assert not Job.objects.filter(retry_of_job_id=job.pk).exists()
