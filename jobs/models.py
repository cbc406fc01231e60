"""The five tables of the runtime, and the rules that the database itself can keep.

Column names are part of the contract of ``jobs/sql.py``. ``jobs.transitions`` and ``jobs.claim`` are the only writers
of ``status``; everything else here is read.
"""

from functools import partial

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Coalesce
from django.utils import timezone

from jobs.querysets import JobQuerySet
from jobs.states import ACTIVE, QUEUED, RUNNING, STATUSES, TERMINAL, Outcome
from oncall.api.ids import new_id

_ACTIVE = Q(status__in=sorted(ACTIVE))
_TERMINAL = Q(status__in=sorted(TERMINAL))
_HAS_LEASE = Q(lease_owner__isnull=False, lease_expires_at__isnull=False)
_NO_LEASE = Q(lease_owner__isnull=True, lease_expires_at__isnull=True)


class Job(models.Model):
    """One durable unit of work. ``epoch`` is the fence (+1 a claim, never lowered), ``attempt`` the budget used."""

    id = models.CharField(primary_key=True, max_length=40, default=partial(new_id, "job"), editable=False)
    # Null: the system's own job, visible in the admin only. An owner with jobs is deactivated, never deleted.
    owner_user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+", db_index=False
    )
    kind = models.CharField(max_length=100)
    resource_type = models.CharField(max_length=100, blank=True, default="")
    resource_id = models.CharField(max_length=100, blank=True, default="")
    status = models.CharField(max_length=10, choices=[(s, s) for s in STATUSES], default=QUEUED)
    attempt = models.PositiveIntegerField(default=0)
    max_attempts = models.PositiveIntegerField(default=3)
    timeout_seconds = models.FloatField(default=900)
    priority = models.IntegerField(default=0)
    available_at = models.DateTimeField(default=timezone.now)
    cancel_requested_at = models.DateTimeField(null=True, blank=True)
    retry_of_job_id = models.CharField(max_length=40, null=True, blank=True)  # noqa: DJ001  (null: the start of a line)
    error_message = models.TextField(blank=True, default="")
    progress = models.FloatField(default=0)
    progress_message = models.CharField(max_length=500, blank=True, default="")
    result = models.JSONField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    completed_at = models.DateTimeField(null=True, blank=True)

    # Private: never in the API.
    payload = models.JSONField(default=dict, blank=True)
    lease_owner = models.CharField(max_length=40, null=True, blank=True)  # noqa: DJ001  (null: no lease)
    lease_expires_at = models.DateTimeField(null=True, blank=True)
    epoch = models.PositiveIntegerField(default=0)
    event_seq = models.PositiveIntegerField(default=0)
    # The place in the order among ready jobs of one priority; null while the job is not ready. ``fifo`` sets 0.
    fair_tag = models.BigIntegerField(null=True, blank=True)

    # Whether ``enqueue`` made this row, or found it in the way; only on what ``enqueue`` returns.
    created: bool = False

    objects = JobQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(name="job_status_known", condition=Q(status__in=STATUSES)),
            models.CheckConstraint(
                name="job_running_has_lease",
                condition=Q(_HAS_LEASE, status=RUNNING) | (~Q(status=RUNNING) & _NO_LEASE),
            ),
            models.CheckConstraint(
                name="job_terminal_is_complete",
                condition=(_TERMINAL & Q(completed_at__isnull=False)) | (_ACTIVE & Q(completed_at__isnull=True)),
            ),
            models.CheckConstraint(
                name="job_queued_not_cancelled", condition=~Q(status=QUEUED) | Q(cancel_requested_at__isnull=True)
            ),
            models.CheckConstraint(
                name="job_attempt_in_budget", condition=Q(attempt__lte=F("max_attempts")) & Q(attempt__lte=F("epoch"))
            ),
            models.CheckConstraint(
                name="job_limits_sane",
                condition=Q(max_attempts__gte=1, timeout_seconds__gt=0, progress__gte=0, progress__lte=1),
            ),
            models.CheckConstraint(name="job_ready_is_queued", condition=Q(fair_tag__isnull=True) | Q(status=QUEUED)),
            # Nulls are distinct in a unique index, so the system's jobs need a number of their own.
            models.UniqueConstraint(
                Coalesce("owner_user", 0),
                "resource_type",
                "resource_id",
                condition=_ACTIVE & ~Q(resource_type=""),
                name="job_one_active_per_resource",
            ),
            models.UniqueConstraint(fields=["retry_of_job_id"], name="job_one_successor"),
        ]
        indexes = [
            models.Index(
                "kind",
                F("priority").desc(),
                "fair_tag",
                "available_at",
                "created_at",
                "id",
                condition=Q(status=QUEUED, fair_tag__isnull=False),
                name="job_ready",
            ),
            models.Index(
                "owner_user",
                F("priority").desc(),
                "fair_tag",
                condition=Q(status=QUEUED, fair_tag__isnull=False),
                name="job_ready_by_owner",
            ),
            models.Index(
                fields=["available_at"], condition=Q(status=QUEUED, fair_tag__isnull=True), name="job_delayed"
            ),
            models.Index(fields=["lease_expires_at"], condition=Q(status=RUNNING), name="job_leased"),
            models.Index(
                fields=["id"], condition=Q(status=RUNNING, cancel_requested_at__isnull=False), name="job_cancel_flag"
            ),
            models.Index("owner_user", F("created_at").desc(), F("id").desc(), name="job_by_owner"),
            models.Index(F("created_at").desc(), F("id").desc(), name="job_newest"),
            models.Index("resource_type", "resource_id", F("created_at").desc(), name="job_by_resource"),
            models.Index(fields=["completed_at"], condition=_TERMINAL, name="job_finished"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"


class JobAttempt(models.Model):
    """One claim of a job by one worker. ``number``: the job's ``attempt`` after the claim; repeats after a release."""

    job = models.ForeignKey(Job, models.CASCADE, related_name="attempts", db_index=False)
    epoch = models.PositiveIntegerField()
    number = models.PositiveIntegerField()
    # A worker's id, not a foreign key: workers are pruned, and what an attempt did stays on record.
    worker = models.CharField(max_length=40)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=10, null=True, blank=True, choices=[(o, o) for o in Outcome.ALL])  # noqa: DJ001
    error_class = models.CharField(max_length=200, blank=True, default="")
    error_message = models.TextField(blank=True, default="")
    traceback = models.TextField(blank=True, default="")

    class Meta:
        ordering = ["epoch"]
        constraints = [
            models.UniqueConstraint(fields=["job", "epoch"], name="attempt_one_per_claim"),
            models.UniqueConstraint(fields=["job"], condition=Q(outcome__isnull=True), name="attempt_one_open"),
            models.CheckConstraint(
                name="attempt_ended_has_outcome",
                # "Not null" is said of both: a check that comes out as unknown passes.
                condition=Q(outcome__isnull=True, ended_at__isnull=True)
                | Q(outcome__isnull=False, outcome__in=Outcome.ALL, ended_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"attempt {self.number} (epoch {self.epoch}) of {self.job_id}"


class JobEvent(models.Model):
    """What a handler said, in order: 1, 2, 3 … without a gap. The runtime does not interpret it."""

    job = models.ForeignKey(Job, models.CASCADE, related_name="events", db_index=False)
    sequence = models.PositiveIntegerField()
    epoch = models.PositiveIntegerField()
    type = models.CharField(max_length=100)
    payload = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["sequence"]
        constraints = [models.UniqueConstraint(fields=["job", "sequence"], name="event_sequence")]

    def __str__(self) -> str:
        return f"{self.job_id} #{self.sequence} {self.type}"


class Worker(models.Model):
    """A process that runs jobs. The id is made at its start, so a restarted worker never wears a dead one's name."""

    class State(models.TextChoices):
        RUNNING = "running"
        DRAINING = "draining"
        STOPPED = "stopped"

    id = models.CharField(primary_key=True, max_length=40, editable=False)
    host = models.CharField(max_length=255)
    pid = models.PositiveIntegerField()
    version = models.CharField(max_length=50)
    kinds = models.JSONField(default=list)  # Empty: every kind that the project knows.
    concurrency = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.RUNNING)
    started_at = models.DateTimeField()
    heartbeat_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    memory_bytes = models.PositiveBigIntegerField(default=0)

    class Meta:
        ordering = ["-started_at"]

    def __str__(self) -> str:
        return f"{self.host}:{self.pid}"


class KindControl(models.Model):
    """What an operator says about a kind; it overrides the decorator."""

    kind = models.CharField(primary_key=True, max_length=100)
    paused = models.BooleanField(default=False)
    max_running = models.PositiveIntegerField(null=True, blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return self.kind
