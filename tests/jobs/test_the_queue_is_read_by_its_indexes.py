"""Finding work costs the same however much is finished, delayed or waits under other kinds; also before ANALYZE."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection

from jobs import claim, sql, transitions
from jobs.claim import Serves
from jobs.claimed import ClaimedJob, claimed
from jobs.enqueue import enqueue_many
from jobs.models import Job
from tests.jobs import plans
from tests.jobs.plans import Plans, explained
from tests.jobs.steps import KIND, LEASE_SECONDS, NOON, end, queue, take

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("kinds")]
MINUTE = timedelta(minutes=1)
PRIMARY_KEY = r"sqlite_autoindex_jobs_job_1|jobs_job_pkey|jobs_job_id_\w+_like"


def held() -> list[ClaimedJob]:
    with connection.cursor() as cursor:
        cursor.execute(sql.HELD_BY, ["worker_1"])
        return [claimed(row, "worker_1") for row in cursor.fetchall()]


def read_cancel_flags() -> None:
    flagged = Job.objects.filter(pk__in=["job_1", "job_2"], status="running", cancel_requested_at__isnull=False)
    list(flagged.values_list("id", "epoch"))


# What is asked, the index that answers, whether its order spares a sort.
QUESTIONS: dict[str, tuple[Callable[[], object], str, bool]] = {
    "which kinds are ready": (lambda: claim.ready_kinds(Serves()), "job_ready", True),
    "who is next": (lambda: claim._choose(Serves(), 5, 5), "job_ready", True),
    "who has become due": (lambda: claim.promote(now=NOON + MINUTE), "job_delayed", True),
    "when is the next one due": (claim.next_due, "job_delayed", True),
    "when does a lease run out": (claim.next_expiry, "job_leased", True),
    "whose lease has run out": (lambda: claim.reclaim(now=NOON + timedelta(days=1)), "job_leased", False),
    "what does this worker hold": (held, "job_leased|job_cancel_flag", False),
    "who is to be cancelled": (read_cancel_flags, f"job_cancel_flag|job_leased|{PRIMARY_KEY}", False),
}


def check(plan: Plans, index: str, *, in_order: bool) -> None:
    assert re.search(rf"\b({index})\b", plan.text), plan.text
    assert plan.scans() == [], plan.text
    assert not in_order or plan.sorts() == [], plan.text


def ask_everything() -> None:
    for ask, index, in_order in QUESTIONS.values():
        with explained() as plan:
            ask()
        check(plan, index, in_order=in_order)


def follow_some_jobs() -> None:
    """A claim, a renewal, an end, a cancel, a new job for an old resource: each by key, however many wait."""
    with explained() as plan:
        first, second, *_ = take(free=5, now=NOON)
        transitions.renew([first, second], lease_seconds=LEASE_SECONDS, now=NOON)
        end(first, "succeeded")
        transitions.request_cancel(second.id, now=NOON)
        queue(resource=("film", "60001"))
    check(plan, PRIMARY_KEY, in_order=False)
    assert "job_ready_by_owner" not in plan.text, plan.text


def test_the_plans_before_and_after_analyze() -> None:
    plans.fill()
    enqueue_many(KIND, owner=None, items=[{}] * 50, now=NOON)
    ask_everything()
    follow_some_jobs()
    plans.analyze()
    ask_everything()
    follow_some_jobs()


def test_the_test_would_see_a_scan_and_a_sort() -> None:
    plans.fill()
    with explained() as plan:
        list(Job.objects.filter(error_message="x").order_by("progress"))
    assert plan.scans() != []
    assert plan.sorts() != []
