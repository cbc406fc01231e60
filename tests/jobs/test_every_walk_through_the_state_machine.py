"""Any sequence of steps, by two workers that also come back late: database and model agree after each of them.

What must hold after every step (jobs rule by rule): attempt rows = epoch, ``attempt`` = those that were charged, one
open attempt exactly while it runs, events 1, 2, 3 …, one active job a resource, the domain row as its newest job.
"""

import itertools
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from jobs import claim, transitions
from jobs.claimed import ClaimedJob
from jobs.enqueue import ActiveJobExists, retry_by_hand
from jobs.events import Event, append
from jobs.handlers import LeaseLost
from jobs.models import Job, JobAttempt, JobEvent
from jobs.resources import NotRetryable
from jobs.states import EDGES
from oncall.models import User
from tests.domain.models import Picture
from tests.jobs.album import Album
from tests.jobs.model import ACTIVE, Lost, ModelJob, ModelQueue
from tests.jobs.steps import ENDINGS, LEASE_SECONDS, ME, NOON, RIVAL, end, queue, take

Rows = dict[str, dict[str, Any]]
SECONDS = st.sampled_from([0, 1, 2, 5, 29, 31, 61])


class Walk(RuleBasedStateMachine):
    """Each example is a transaction of its own, undone at its end."""

    job_ids = Bundle("job_ids")
    claims = Bundle("claims")

    def __init__(self) -> None:
        super().__init__()
        self.model = ModelQueue()
        self.now = NOON
        self.before: Rows = {}
        self.block = transaction.atomic()
        self.block.__enter__()
        owner = User.objects.create(username="walker")
        self.owners = [owner.pk, None]
        self.pictures = {(who, str(Picture.objects.create().pk)): "" for who in self.owners for _ in range(2)}

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.block.__exit__(None, None, None)

    # --- Steps --------------------------------------------------------------------------------------------------------

    @rule(seconds=SECONDS)
    def time_passes(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)

    @rule(
        target=job_ids,
        which=st.integers(0, 4),
        priority=st.integers(0, 1),
        max_attempts=st.integers(1, 3),
        delay=st.sampled_from([0, 0, 0, 5]),
    )
    def enqueue(self, which: int, priority: int, max_attempts: int, delay: int) -> Any:
        resource = [*self.pictures, None][which]
        due = self.now + timedelta(seconds=delay)
        fields: dict[str, Any] = {"priority": priority, "max_attempts": max_attempts, "available_at": due}
        if resource is not None:
            fields |= {"owner": resource[0], "resource": ("picture", resource[1])}
        active = self.model.active_for(resource)
        job = queue(now=self.now, **fields)
        if active is not None:
            assert (job.pk, job.created) == (active.id, False)
            return multiple()
        assert job.created
        self.model.jobs[job.pk] = ModelJob(job.pk, resource, priority, max_attempts, due, self.now)
        return job.pk

    @rule(target=claims, worker=st.sampled_from([ME, RIVAL]), free=st.integers(1, 3))
    def claim(self, worker: str, free: int) -> Any:
        got = take(worker=worker, free=free, now=self.now)
        wanted = self.model.claim(worker, free, self.now)
        assert [job.id for job in got] == [job.id for job in wanted]
        assert [(job.epoch, job.attempt) for job in got] == [(len(job.attempts), job.attempt) for job in wanted]
        assert [job.event_seq for job in got] == [job.events for job in wanted]
        return multiple(*got)

    @rule(held=claims, ending=st.sampled_from(sorted(ENDINGS)))
    def end(self, held: ClaimedJob, ending: str) -> None:
        """Also by a worker whose claim has long been over."""
        try:
            wanted = self.model.jobs[held.id].end(ending, held.epoch, self.now)
        except Lost:
            with pytest.raises(LeaseLost):
                end(held, ending, now=self.now)
        else:
            assert end(held, ending, now=self.now) == wanted

    @rule(held=consumes(claims))
    def end_by_success(self, held: ClaimedJob) -> None:
        self.end(held, "succeeded")

    @rule(held=st.lists(claims, max_size=4, unique_by=lambda job: job.key), worker=st.sampled_from([ME, RIVAL]))
    def renew(self, held: list[ClaimedJob], worker: str) -> None:
        mine = [job for job in held if job.worker == worker]
        kept = {job.key for job in mine if self.model.jobs[job.id].holds(job.epoch)}
        renewal = transitions.renew(mine, lease_seconds=LEASE_SECONDS, now=self.now)
        assert (renewal.renewed, renewal.lost) == (kept, {job.key for job in mine} - kept)
        for job_id, _ in kept:
            self.model.jobs[job_id].lease_until = self.now + timedelta(seconds=LEASE_SECONDS)
        asked = {job.key for job in mine if job.key in kept and self.model.jobs[job.id].cancel_requested}
        assert renewal.cancel_requested == asked

    @rule(held=claims, count=st.integers(1, 3))
    def say(self, held: ClaimedJob, count: int) -> None:
        job = self.model.jobs[held.id]
        new = [Event("step", "{}")] * count
        if job.holds(held.epoch):
            job.events += count
            assert append(held, new, known=job.events - count, now=self.now) == job.events
        else:
            with pytest.raises(LeaseLost):
                append(held, new, known=job.events, now=self.now)

    @rule(job_id=job_ids)
    def request_cancel(self, job_id: str) -> None:
        self.model.jobs[job_id].request_cancel()
        assert transitions.request_cancel(job_id, now=self.now).status == self.model.jobs[job_id].status

    @rule(target=job_ids, job_id=job_ids)
    def retry_by_hand(self, job_id: str) -> Any:
        source = self.model.jobs[job_id]
        if source.status not in ("failed", "cancelled") or self.model.successor_of(job_id):
            with pytest.raises(NotRetryable) as caught:
                retry_by_hand(job_id, now=self.now)
            successor = self.model.successor_of(job_id)
            assert caught.value.successor_id == (successor.id if successor else None)
            return multiple()
        if active := self.model.active_for(source.resource):
            with pytest.raises(ActiveJobExists) as in_the_way:
                retry_by_hand(job_id, now=self.now)
            assert in_the_way.value.job.pk == active.id
            return multiple()
        new = retry_by_hand(job_id, now=self.now).pk
        limits = (source.resource, source.priority, source.max_attempts)
        self.model.jobs[new] = ModelJob(new, *limits, self.now, self.now, retry_of=job_id)
        return new

    @rule()
    def reclaim(self) -> None:
        assert claim.reclaim(now=self.now) == self.model.reclaim(self.now)

    # --- What holds after each ----------------------------------------------------------------------------------------

    @invariant()
    def everything_holds(self) -> None:
        rows = {job["id"]: job for job in Job.objects.values()}
        self.jobs_are_as_the_model_says(rows)
        self.attempt_rows_are_as_the_epochs()
        self.events_have_no_gap(rows)
        self.a_resource_has_one_active_job(rows)
        self.a_domain_row_is_as_its_newest_job()
        self.a_finished_job_never_changes_and_every_change_is_an_edge(rows)

    def jobs_are_as_the_model_says(self, rows: Rows) -> None:
        columns = ("status", "epoch", "attempt", "event_seq", "lease_expires_at")
        assert {job_id: tuple(row[name] for name in columns) for job_id, row in rows.items()} == {
            job.id: (job.status, len(job.attempts), job.attempt, job.events, job.lease_until)
            for job in self.model.jobs.values()
        }
        for job in self.model.jobs.values():
            assert (rows[job.id]["cancel_requested_at"] is not None) == job.cancel_requested
            assert job.status != "queued" or rows[job.id]["available_at"] == job.available_at

    def attempt_rows_are_as_the_epochs(self) -> None:
        found: dict[str, list[tuple[int, str, str | None]]] = {job_id: [] for job_id in self.model.jobs}
        for attempt in JobAttempt.objects.order_by("job_id", "epoch"):
            found[attempt.job_id].append((attempt.epoch, attempt.worker, attempt.outcome))
        assert found == {
            job.id: [(epoch, one.worker, one.outcome) for epoch, one in enumerate(job.attempts, start=1)]
            for job in self.model.jobs.values()
        }
        for job in self.model.jobs.values():
            still_open = [epoch for epoch, _, outcome in found[job.id] if outcome is None]
            assert still_open == ([len(job.attempts)] if job.status == "running" else [])

    def events_have_no_gap(self, rows: Rows) -> None:
        numbers = JobEvent.objects.order_by("job_id", "sequence").values_list("job_id", "sequence")
        groups = itertools.groupby(numbers, key=lambda pair: pair[0])
        by_job = {job_id: [number for _, number in group] for job_id, group in groups}
        counts = {job_id: row["event_seq"] for job_id, row in rows.items() if row["event_seq"]}
        assert by_job == {job_id: list(range(1, count + 1)) for job_id, count in counts.items()}

    def a_resource_has_one_active_job(self, rows: Rows) -> None:
        active = [row for row in rows.values() if row["status"] in ACTIVE and row["resource_type"]]
        assert len({(row["owner_user_id"], row["resource_type"], row["resource_id"]) for row in active}) == len(active)

    def a_domain_row_is_as_its_newest_job(self) -> None:
        statuses = {str(pk): status for pk, status in Picture.objects.values_list("pk", "status")}
        for resource in self.pictures:
            newest = self.model.newest_for(resource)
            assert statuses[resource[1]] == (newest.status if newest else "")

    def a_finished_job_never_changes_and_every_change_is_an_edge(self, rows: Rows) -> None:
        for job_id, old in self.before.items():
            new = rows[job_id]
            if not EDGES[old["status"]]:
                assert new == old
            elif new["status"] != old["status"]:
                assert new["status"] in EDGES[old["status"]]
        self.before = rows


@pytest.mark.django_db
def test_every_walk(album: Album) -> None:
    run_state_machine_as_test(
        Walk,
        settings=settings(max_examples=40, stateful_step_count=40, suppress_health_check=list(HealthCheck)),
    )
