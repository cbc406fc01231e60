"""The named selections of jobs. ``jobs/sql.py`` compiles the hot ones once."""

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.utils.module_loading import import_string

from jobs.states import ACTIVE, QUEUED, RUNNING

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

    from jobs.models import Job  # noqa: F401  (named in a string below)

# Priority first, then the tag; under ``fifo`` every tag is 0, so this is exactly available_at, created_at.
CLAIM_ORDER = ("-priority", "fair_tag", "available_at", "created_at", "id")


def visible_owner_ids(user: "AbstractBaseUser | AnonymousUser") -> Iterable[int]:
    """The owner ids visible to ``user``, by the function that ``JOBS_OWNER_SCOPE`` names: jobs knows no teams."""
    scope: Iterable[int] = import_string(settings.JOBS_OWNER_SCOPE)(user)
    return scope


class JobQuerySet(models.QuerySet["Job"]):
    def owned_by(self, owner_ids: Iterable[int]) -> "JobQuerySet":
        return self.filter(owner_user_id__in=list(owner_ids))

    def ready(self) -> "JobQuerySet":
        return self.filter(status=QUEUED, fair_tag__isnull=False)

    def expired(self, now: datetime) -> "JobQuerySet":
        return self.filter(status=RUNNING, lease_expires_at__lt=now)

    def active(self) -> "JobQuerySet":
        return self.filter(status__in=sorted(ACTIVE))

    def for_resource(self, resource_type: str, resource_id: str) -> "JobQuerySet":
        return self.filter(resource_type=resource_type, resource_id=resource_id)
