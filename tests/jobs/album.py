"""A domain for the rules about hooks: a ``Picture`` follows its job, and whatever its hook was told is on record."""

from collections.abc import Callable, Sequence
from datetime import datetime

from django.db.models import F

from jobs.models import Job
from jobs.resources import Change
from tests.domain.models import Picture


class Refused(Exception):
    """What the hook raises where a test wants it to."""


class Album:
    """The hook of resource type ``picture``. It writes first and refuses afterwards, so that a rollback shows."""

    def __init__(self) -> None:
        self.told: list[list[Change]] = []
        self.moments: list[datetime] = []
        self.refuses: Callable[[Change], bool] = lambda change: False
        self.error: Callable[[], Exception] = lambda: Refused("The album is shut.")

    def on_change(self, changes: Sequence[Change], now: datetime) -> None:
        self.told.append(list(changes))
        self.moments.append(now)
        for change in changes:
            Picture.objects.filter(pk=int(change.resource_id)).update(status=change.to_status, writes=F("writes") + 1)
        if any(self.refuses(change) for change in changes):
            raise self.error()

    def prepare_retry(self, resource_id: str) -> str:
        return resource_id

    def refuse(self, *to_statuses: str, job: Job | None = None) -> None:
        """Raise from now on at a change to one of these statuses (of ``job`` only, where given)."""
        self.refuses = lambda change: change.to_status in to_statuses and (job is None or change.job_id == job.pk)

    @property
    def last(self) -> Change:
        """The one change of the last call."""
        (change,) = self.told[-1]
        return change

    def forget(self) -> None:
        self.told.clear()
        self.moments.clear()
