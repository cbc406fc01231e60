"""Workers are listed with how long ago they were alive; one whose lease ran out unsaid is shown as silent."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from jobs.models import Worker
from jobs.states import RUNNING
from oncall.models import User
from tests.jobs.factories import WORKER_ID, make_job, make_worker

pytestmark = pytest.mark.django_db
LIST = "/admin/jobs/worker/"


@pytest.mark.parametrize(
    ("state", "hours_ago", "shown"),
    [("running", 0, "running"), ("draining", 0, "draining"), ("running", 3, "silent"), ("stopped", 3, "stopped")],
)
def test_the_state(operator: Client, state: str, hours_ago: int, shown: str) -> None:
    make_worker(state=state, now=timezone.now() - timedelta(hours=hours_ago))
    response = operator.get(LIST)
    assert f"\n{shown}\n" in response.text
    assert ("3 h ago" in response.text) == bool(hours_ago)
    page = operator.get(f"{LIST}{WORKER_ID}/change/").text
    assert ("killed, or cut off" in page) == (shown == "silent")


def test_what_it_holds(operator: Client, alice: User) -> None:
    make_worker()
    held = make_job(owner=alice, status=RUNNING)
    ended = make_job(owner=alice, status="succeeded")
    text = operator.get(f"{LIST}{WORKER_ID}/change/").text
    assert held.pk in text and ended.pk not in text


def test_no_worker_is_edited(operator: Client, onlooker: Client) -> None:
    make_worker()
    assert onlooker.get(LIST).status_code == 200
    assert operator.get(f"{LIST}add/").status_code == 403
    assert operator.post(f"{LIST}{WORKER_ID}/change/", {"state": "stopped"}).status_code == 403
    assert operator.post(f"{LIST}{WORKER_ID}/delete/", {"post": "yes"}).status_code == 403
    assert Worker.objects.get().state == "running"
