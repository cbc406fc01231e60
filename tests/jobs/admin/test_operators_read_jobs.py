"""The admin shows jobs of every owner, with their attempts and last events, to read; it edits none."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.test.utils import CaptureQueriesContext

from jobs.models import Job, JobAttempt
from jobs.states import FAILED, QUEUED, RUNNING, STATUSES, SUCCEEDED, Outcome
from oncall.models import Team, User
from tests.jobs.factories import make_job

pytestmark = pytest.mark.django_db
LIST = "/admin/jobs/job/"


def page(client: Client, job: Job) -> str:
    response = client.get(f"{LIST}{job.pk}/change/")
    assert response.status_code == 200
    return response.text


def listed(client: Client, **query: str) -> set[str]:
    response = client.get(LIST, query)
    assert response.status_code == 200
    return {job.pk for job in response.context["cl"].result_list}


def test_jobs_of_every_owner_newest_first(operator: Client, alice: User, team: Team) -> None:
    made = [make_job(owner=owner, status=status).pk for status in STATUSES for owner in (alice, team, None)]
    response = operator.get(LIST)
    shown = [job.pk for job in response.context["cl"].result_list]
    assert set(shown) == set(made)
    assert shown == list(Job.objects.order_by("-created_at", "-id").values_list("pk", flat=True))


def test_filters_and_search(operator: Client, alice: User) -> None:
    failed = make_job(owner=alice, status=FAILED, kind="odd")
    waiting = make_job(owner=alice, status=QUEUED, resource=("picture", "picture-7"))
    assert listed(operator, status__exact=FAILED) == {failed.pk}
    assert listed(operator, kind="odd") == {failed.pk}
    assert listed(operator, q=failed.pk) == {failed.pk}
    assert listed(operator, q=f"…{failed.pk[-8:]}") == {failed.pk}
    assert listed(operator, q="picture-7") == {waiting.pk}
    assert listed(operator, q="nothing") == set()


def test_attempts_and_their_tracebacks(operator: Client, alice: User) -> None:
    job = make_job(owner=alice, status=RUNNING, attempts=[Outcome.LOST, Outcome.FAILED])
    JobAttempt.objects.filter(outcome=Outcome.FAILED).update(
        traceback="File pages.py\nfetch(token='hunter2')\n<script>alert(1)</script>"
    )
    text = page(operator, job)
    assert "WorkerLost: Worker lost: the lease expired." in text
    assert "File pages.py" in text and "hunter2" not in text
    assert "<script>alert(1)" not in text and "&lt;script&gt;alert(1)" in text


def test_the_last_hundred_events(operator: Client, alice: User) -> None:
    said = [("step", {"marker": f"m{number}-"}) for number in range(1, 141)]
    text = page(operator, make_job(owner=alice, status=SUCCEEDED, events=said))
    assert "Events: the last 100" in text
    assert "m140-" in text and "m41-" in text and "m40-" not in text
    assert text.index("m41-") < text.index("m140-")


def test_lineage_links_both_ways(operator: Client, alice: User) -> None:
    source = make_job(owner=alice, status=FAILED)
    successor = make_job(owner=alice, status=QUEUED, retry_of_job_id=source.pk)
    assert successor.pk in page(operator, source)
    assert source.pk in page(operator, successor)


def test_a_payload_is_private_even_here(operator: Client, alice: User) -> None:
    assert "hunter2" not in page(operator, make_job(owner=alice, payload={"word": "hunter2"}))


@pytest.mark.parametrize("status", STATUSES)
def test_no_job_is_edited_made_or_deleted(operator: Client, alice: User, status: str) -> None:
    job = make_job(owner=alice, status=status)
    before = list(Job.objects.values())
    assert operator.get(f"{LIST}add/").status_code == 403
    assert operator.post(f"{LIST}{job.pk}/change/", {"status": "succeeded"}).status_code == 403
    assert operator.post(f"{LIST}{job.pk}/delete/", {"post": "yes"}).status_code == 403
    operator.post(LIST, {"action": "delete_selected", "_selected_action": job.pk, "index": 0})
    assert list(Job.objects.values()) == before


def test_whoever_is_not_staff_sees_none_of_it(as_user: Callable[[User], Client], alice: User) -> None:
    job = make_job(owner=alice)
    for path in (LIST, f"{LIST}{job.pk}/change/", f"{LIST}{job.pk}/cancel/", "/admin/jobs/worker/"):
        assert as_user(alice).get(path).status_code == 302


def test_staff_need_the_permission_to_look(as_user: Callable[[User], Client], alice: User) -> None:
    alice.is_staff = True
    alice.save()
    assert as_user(alice).get(LIST).status_code == 403


def test_no_count_reads_the_whole_table(
    operator: Client, alice: User, django_assert_max_num_queries: Callable[[int], CaptureQueriesContext]
) -> None:
    for _ in range(60):
        make_job(owner=alice, status=SUCCEEDED, events=1)
    for path in (LIST, f"{LIST}?status__exact=succeeded", f"{LIST}?q=nothing", f"{LIST}?p=2"):
        with django_assert_max_num_queries(12) as found:
            assert operator.get(path).status_code == 200
        counts = [query["sql"] for query in found if "COUNT(" in query["sql"] and "jobs_job" in query["sql"]]
        assert all("LIMIT 10001" in sql for sql in counts), counts
        assert not any("DISTINCT" in query["sql"] for query in found)
