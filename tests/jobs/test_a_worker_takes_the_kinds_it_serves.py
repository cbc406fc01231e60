"""Kinds named at the worker's start are all it takes; without names it takes every kind, also one nobody knows."""

from datetime import timedelta

import pytest
from django.utils import timezone

from jobs.claim import Serves, ready_kinds
from jobs.testing import claim_one, run_one
from tests.jobs.factories import make_job
from tests.jobs.steps import KIND, NOON, OTHER_KIND, queue, row, take

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("kinds")]
ONLY_POSTERS = Serves(frozenset({OTHER_KIND}))


def test_a_kind_not_served_here_is_left_alone() -> None:
    left = queue(KIND, priority=100)
    before = row(left)
    mine = queue(OTHER_KIND)
    assert [job.id for job in take(serves=ONLY_POSTERS)] == [mine.pk]
    assert row(left) == before


def test_a_worker_without_names_takes_a_kind_that_nobody_knows() -> None:
    unknown = make_job(kind="gone_since_the_upgrade", created_at=NOON)
    assert [job.id for job in take()] == [unknown.pk]


def test_a_worker_with_names_does_not() -> None:
    make_job(kind="gone_since_the_upgrade", created_at=NOON)
    assert take(serves=ONLY_POSTERS) == []


def test_such_a_job_fails_like_any_other() -> None:
    job = make_job(kind="gone_since_the_upgrade", created_at=NOON, max_attempts=2)
    assert run_one(claim_one(now=NOON)) == "queued"
    assert row(job)["error_message"] == 'No handler is registered for job kind "gone_since_the_upgrade".'
    assert run_one(claim_one(now=timezone.now() + timedelta(seconds=3))) == "failed"


def test_ready_kinds_names_each_kind_once() -> None:
    for kind in (KIND, OTHER_KIND, KIND):
        queue(kind)
    assert ready_kinds(Serves()) == [OTHER_KIND, KIND]
    assert ready_kinds(ONLY_POSTERS) == [OTHER_KIND]
    take()
    assert ready_kinds(Serves()) == []
