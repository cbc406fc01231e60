"""The state machine once more, in memory and as simply as it can be said: what the database must agree with."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tests.jobs.steps import LEASE_SECONDS

ACTIVE = {"queued", "running"}


class Lost(Exception):
    """What the model says where the real thing raises ``LeaseLost``."""


@dataclass
class ModelAttempt:
    """One claim: the charge it made, and how it ended."""

    worker: str
    charged: bool = True
    outcome: str | None = None


@dataclass
class ModelJob:
    """What a job is, as far as its rules go."""

    id: str
    resource: tuple[int | None, str] | None
    priority: int
    max_attempts: int
    available_at: datetime
    created_at: datetime
    retry_of: str | None = None
    status: str = "queued"
    cancel_requested: bool = False
    lease_until: datetime | None = None
    attempts: list[ModelAttempt] = field(default_factory=list)
    events: int = 0

    @property
    def attempt(self) -> int:
        return sum(attempt.charged for attempt in self.attempts)

    def holds(self, epoch: int) -> bool:
        return self.status == "running" and len(self.attempts) == epoch

    def end(self, ending: str, epoch: int, now: datetime) -> str:
        """End the attempt of ``epoch`` and return the status; raises ``Lost``."""
        if not self.holds(epoch):
            if self.attempts[epoch - 1].outcome in {OUTCOMES[ending], *CANCELLABLE.get(ending, ())}:
                return self.status
            raise Lost
        if ending in CANCELLABLE and self.cancel_requested:
            self._leave("cancelled", "cancelled")
        elif ending in ("retried", "timed_out"):
            again = not self.cancel_requested and self.attempt < self.max_attempts
            self._leave("queued" if again else "failed", OUTCOMES[ending], again_at=now + timedelta(seconds=2))
        elif ending in ("released", "snoozed"):
            self.attempts[-1].charged = False
            self._leave("queued", ending, again_at=now + timedelta(seconds=60 if ending == "snoozed" else 0))
        else:
            self._leave(ending, OUTCOMES[ending])
        return self.status

    def lose(self, now: datetime) -> None:
        """Its lease has run out."""
        back = "queued" if self.attempt < self.max_attempts else "failed"
        self._leave("cancelled" if self.cancel_requested else back, "lost", again_at=now)

    def request_cancel(self) -> None:
        if self.status == "queued":
            self.status, self.cancel_requested = "cancelled", True
        elif self.status == "running":
            self.cancel_requested = True

    def _leave(self, status: str, outcome: str, *, again_at: datetime | None = None) -> None:
        self.status, self.lease_until, self.attempts[-1].outcome = status, None, outcome
        if status == "queued" and again_at is not None:
            self.available_at = again_at


OUTCOMES = {
    "succeeded": "succeeded",
    "failed": "failed",
    "retried": "failed",
    "timed_out": "timed_out",
    "cancelled": "cancelled",
    "released": "released",
    "snoozed": "snoozed",
}
# These endings become a cancel where one was asked for.
CANCELLABLE = {"succeeded": ["cancelled"], "released": ["cancelled"], "snoozed": ["cancelled"]}


class ModelQueue:
    """All jobs, and what a claim and a reclaim do with them."""

    def __init__(self) -> None:
        self.jobs: dict[str, ModelJob] = {}

    def active_for(self, resource: tuple[int | None, str] | None) -> ModelJob | None:
        found = (job for job in self.jobs.values() if job.resource == resource and job.status in ACTIVE)
        return next(found, None) if resource is not None else None

    def newest_for(self, resource: tuple[int | None, str]) -> ModelJob | None:
        found = [job for job in self.jobs.values() if job.resource == resource]
        return found[-1] if found else None

    def successor_of(self, job_id: str) -> ModelJob | None:
        return next((job for job in self.jobs.values() if job.retry_of == job_id), None)

    def claim(self, worker: str, free: int, now: datetime) -> list[ModelJob]:
        due = [job for job in self.jobs.values() if job.status == "queued" and job.available_at <= now]
        due.sort(key=lambda job: (-job.priority, job.available_at, job.created_at, job.id))
        for job in due[:free]:
            job.status, job.lease_until = "running", now + timedelta(seconds=LEASE_SECONDS)
            job.attempts.append(ModelAttempt(worker))
        return due[:free]

    def reclaim(self, now: datetime) -> int:
        expired = [job for job in self.running() if job.lease_until is not None and job.lease_until < now]
        for job in expired:
            job.lose(now)
        return len(expired)

    def running(self) -> Iterable[ModelJob]:
        return (job for job in self.jobs.values() if job.status == "running")
