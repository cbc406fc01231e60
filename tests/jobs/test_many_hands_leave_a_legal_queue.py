"""Six threads enqueue, claim, end, cancel, retry and reclaim the same few resources as fast as they can.

Nobody may meet a deadlock, and afterwards every rule of the tables holds, for each job and its domain row.
"""

import random
from collections import Counter
from functools import partial

import pytest

from jobs import claim, transitions
from jobs.claim import reclaim
from jobs.claimed import ClaimedJob
from jobs.enqueue import ActiveJobExists, cancel_jobs, enqueue_many, retry_by_hand
from jobs.events import Event, append
from jobs.handlers import LeaseLost
from jobs.models import Job, JobAttempt, JobEvent
from jobs.resources import NotRetryable
from jobs.states import ACTIVE, Outcome
from jobs.transitions import finish_together, request_cancel
from oncall.models import User
from tests.domain.models import Picture
from tests.jobs.album import Album
from tests.jobs.steps import ENDINGS, EVERYTHING, KIND, end
from tests.jobs.threads import at_once

pytestmark = [pytest.mark.django_db(transaction=True)]
STEPS = 60


class Hand:
    """One thread's steps, each drawn by chance; what may rightly refuse is taken as an answer."""

    def __init__(self, name: str, seed: int, owners: list[int | None], pictures: list[str]) -> None:
        self.name, self.chance = name, random.Random(seed)
        self.owners, self.pictures = owners, pictures
        self.held: list[ClaimedJob] = []

    def work(self) -> Counter[str]:
        done: Counter[str] = Counter()
        for _ in range(STEPS):
            step = self.chance.choice([self.enqueue, self.claim, self.claim, self.end, self.end, self.say, self.steer])
            try:
                step()
                done[step.__name__] += 1
            except (LeaseLost, NotRetryable, ActiveJobExists, transitions.BatchRefused) as refused:
                done[type(refused).__name__] += 1
        return done

    def enqueue(self) -> None:
        items = [{"resource": ("picture", name)} for name in self.chance.sample(self.pictures, 2)]
        enqueue_many(KIND, owner=self.chance.choice(self.owners), items=items)

    def claim(self) -> None:
        lease = self.chance.choice([-1, 30])
        self.held += claim.claim(worker=self.name, serves=EVERYTHING, free=2, lease_seconds=lease)
        transitions.renew(self.held[-3:], lease_seconds=lease)

    def end(self) -> None:
        ending = self.chance.choice([name for name in ENDINGS if name not in ("retried", "snoozed", "timed_out")])
        if self.chance.random() < 0.3:
            finish_together([(job, ENDINGS[ending]()) for job in self.held[-2:]])
        elif self.held:
            end(self.chance.choice(self.held), ending, now=None)

    def say(self) -> None:
        for job in self.held[-1:]:
            append(job, [Event("step", "{}")] * 2, known=Job.objects.get(pk=job.id).event_seq)

    def steer(self) -> None:
        reclaim()
        ids = list(Job.objects.values_list("pk", flat=True))
        if ids:
            self.chance.choice([request_cancel, retry_by_hand])(self.chance.choice(ids))
        if self.chance.random() < 0.3:
            cancel_jobs("picture", self.chance.sample(self.pictures, 2))


@pytest.mark.parametrize("seed", [1, 2])
def test_afterwards_every_rule_holds(album: Album, alice: User, seed: int) -> None:
    # A picture is one owner's: what its row says is then what its newest job says.
    pictures = {owner: [str(Picture.objects.create().pk) for _ in range(3)] for owner in (alice.pk, None)}
    hands = [Hand(f"hand_{n}", 100 * seed + n, [owner], pictures[owner]) for n, owner in enumerate([*pictures] * 3)]
    results = at_once([partial(hand.work) for hand in hands])
    assert [result for result in results if isinstance(result, Exception)] == []
    assert sum((result for result in results), Counter())["end"] > 20

    newest: dict[str, str] = {}
    for job in Job.objects.order_by("created_at", "pk"):
        attempts = list(JobAttempt.objects.filter(job=job).order_by("epoch"))
        assert [attempt.epoch for attempt in attempts] == list(range(1, job.epoch + 1))
        assert job.attempt == sum(attempt.outcome not in Outcome.NOT_CHARGED for attempt in attempts)
        still_open = [attempt.epoch for attempt in attempts if attempt.outcome is None]
        assert still_open == ([job.epoch] if job.status == "running" else [])
        events = list(JobEvent.objects.filter(job=job).order_by("sequence").values_list("sequence", flat=True))
        assert events == list(range(1, job.event_seq + 1))
        newest[job.resource_id] = job.status
    active = Job.objects.filter(status__in=ACTIVE).values_list("owner_user_id", "resource_id")
    assert len(set(active)) == len(active)
    for name, status in newest.items():
        assert Picture.objects.get(pk=name).status == status
