"""Cancel and retry in the admin call the transitions, one job at a time, and say what changed and what was skipped."""

import re
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.messages import get_messages
from django.test import Client

from jobs.admin import jobs as jobs_admin
from jobs.handlers import JobContext
from jobs.models import Job
from jobs.states import CANCELLED, FAILED, QUEUED, RUNNING, SUCCEEDED
from jobs.testing import registered
from oncall.models import User
from tests.jobs.factories import make_job

pytestmark = pytest.mark.django_db
LIST = "/admin/jobs/job/"
YES = {"_form_submitted": "True"}  # What the button of the question sends.


@pytest.fixture(autouse=True)
def sample_kind() -> Any:
    with registered("sample") as handler:

        @handler
        def run(context: JobContext) -> None:
            return None

        yield


def bulk(client: Client, action: str, ids: list[str], *, all: bool = False, query: str = "") -> str:
    body = {"action": action, "_selected_action": ids, "index": 0, "select_across": int(all)}
    response = client.post(LIST + query, body)
    assert response.status_code == 302
    return " / ".join(str(message) for message in get_messages(response.wsgi_request))


def test_cancel_of_many(operator: Client, alice: User) -> None:
    statuses = [QUEUED] * 3 + [RUNNING] * 2 + [SUCCEEDED]
    jobs = [make_job(owner=alice, status=status) for status in statuses]
    said = bulk(operator, "cancel_selected", [job.pk for job in jobs])
    assert said == "3 cancelled, 2 asked to stop, 1 skipped (already finished)"
    now = [Job.objects.get(pk=job.pk) for job in jobs]
    assert [job.status for job in now] == [CANCELLED] * 3 + [RUNNING] * 2 + [SUCCEEDED]
    assert [job.cancel_requested_at is not None for job in now] == [True] * 5 + [False]


def test_retry_of_many(operator: Client, alice: User) -> None:
    failed, cancelled, running = (make_job(owner=alice, status=status) for status in (FAILED, CANCELLED, RUNNING))
    retried = make_job(owner=alice, status=FAILED)
    make_job(owner=alice, retry_of_job_id=retried.pk)
    busy = make_job(owner=alice, status=FAILED, resource=("picture", "7"))
    make_job(owner=alice, resource=("picture", "7"))
    unknown = make_job(owner=alice, status=FAILED, kind="forgotten")
    said = bulk(operator, "retry_selected", [job.pk for job in (failed, cancelled, running, retried, busy, unknown)])
    assert said.startswith("2 retried as a new job, ")
    for reason in ("not failed or cancelled", "retried already", "active job", "no handler"):
        assert reason in said
    assert set(Job.objects.filter(retry_of_job_id__in=[failed.pk, cancelled.pk]).values_list("status", flat=True)) == {
        QUEUED
    }
    assert not Job.objects.filter(retry_of_job_id__in=[running.pk, busy.pk, unknown.pk]).exists()


def test_all_of_a_filtered_list_but_no_more_than_the_most(
    operator: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs_admin, "MOST_AT_ONCE", 4)
    for _ in range(6):
        make_job(owner=alice, status=QUEUED)
    other = make_job(owner=alice, status=RUNNING)
    said = bulk(operator, "cancel_selected", [other.pk], all=True, query="?status__exact=queued")
    assert said.startswith("4 cancelled / Only the first 4")
    again = bulk(operator, "cancel_selected", [other.pk], all=True, query="?status__exact=queued")
    assert again.endswith("/ 2 cancelled")
    assert Job.objects.get(pk=other.pk).cancel_requested_at is None


@pytest.mark.parametrize("escaped", [False, True])
def test_one_job_after_a_question(operator: Client, alice: User, escaped: bool) -> None:
    job = make_job(owner=alice, status=QUEUED)
    path = f"{LIST}{job.pk.replace('_', '_5F') if escaped else job.pk}/cancel/"
    question = operator.get(path).text
    assert "Cancel this job?" in question
    # Neither button is a bare "Cancel", which could mean either answer.
    assert "Keep it running" in question and "Cancel the job" in question
    assert ">Cancel<" not in re.sub(r"\s+", "", question)
    assert Job.objects.get(pk=job.pk).status == QUEUED
    response = operator.post(path, YES)
    assert (response.status_code, response["Location"]) == (302, LIST)
    assert Job.objects.get(pk=job.pk).status == CANCELLED


def test_it_leads_back_to_where_it_was_asked(operator: Client, alice: User) -> None:
    job = make_job(owner=alice, status=FAILED)
    back = f"http://testserver{LIST}?status__exact=failed"
    for url, expected in ((back, back), ("https://evil.example/", LIST)):
        headers = {"HX-Request": "true", "HX-Current-URL": url}
        response = operator.post(f"{LIST}{job.pk}/retry/", YES, headers=headers)
        assert (response.status_code, response["HX-Redirect"]) == (200, expected)
    assert Job.objects.filter(retry_of_job_id=job.pk).count() == 1


def test_the_question_needs_a_csrf_token(alice: User, operator: Client) -> None:
    job = make_job(owner=alice, status=QUEUED)
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = operator.cookies
    assert strict.post(f"{LIST}{job.pk}/cancel/", YES).status_code == 403
    assert Job.objects.get(pk=job.pk).status == QUEUED


def test_a_refusal_says_why(operator: Client, alice: User) -> None:
    job = make_job(owner=alice, status=RUNNING)
    response = operator.post(f"{LIST}{job.pk}/retry/", YES, follow=True)
    assert "Only a failed or cancelled job can be retried; this one is running." in response.text


def test_a_job_that_is_gone(operator: Client) -> None:
    response = operator.post(f"{LIST}job_x/cancel/", YES, follow=True)
    assert response.status_code == 200 and "it is gone" in response.text


@pytest.mark.parametrize(
    ("status", "offered"), [(QUEUED, "cancel"), (RUNNING, "cancel"), (FAILED, "retry"), (CANCELLED, "retry")]
)
def test_a_page_offers_what_would_do_something(operator: Client, alice: User, status: str, offered: str) -> None:
    job = make_job(owner=alice, status=status)
    response = operator.get(f"{LIST}{job.pk.replace('_', '_5F')}/change/")
    assert [action["path"].rstrip("/").rpartition("/")[2] for action in response.context["actions_detail"]] == [offered]


def test_who_only_looks_changes_nothing(onlooker: Client, alice: User) -> None:
    job, failed = make_job(owner=alice, status=QUEUED), make_job(owner=alice, status=FAILED)
    assert onlooker.get(LIST).status_code == 200
    assert onlooker.get(LIST).context["actions_row"] == []
    for action in ("cancel_selected", "retry_selected"):
        onlooker.post(LIST, {"action": action, "_selected_action": [job.pk, failed.pk], "index": 0})
    for verb in ("cancel", "retry"):
        assert onlooker.post(f"{LIST}{job.pk}/{verb}/", YES).status_code == 403
    assert Job.objects.get(pk=job.pk).status == QUEUED
    assert Job.objects.count() == 2


def test_who_did_it_is_on_record(operator: Client, alice: User) -> None:
    job, done = make_job(owner=alice, status=QUEUED), make_job(owner=alice, status=SUCCEEDED)
    bulk(operator, "cancel_selected", [job.pk, done.pk])
    (entry,) = LogEntry.objects.all()
    assert (entry.object_id, entry.user.get_username(), entry.change_message) == (job.pk, "olga", "cancel by hand")
