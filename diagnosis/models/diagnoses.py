"""A diagnosis and what it leaves: a step per stage, tool calls, evidence, and one report."""

from functools import partial

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from diagnosis.states import DIAGNOSIS_ACTIVE, DIAGNOSIS_STATUSES, PENDING, Stage, Verdict
from oncall.api.ids import new_id

_ACTIVE = Q(status__in=sorted(DIAGNOSIS_ACTIVE))


class Diagnosis(models.Model):
    """The wish to know what broke; the job ``job_id`` of kind ``aiops_diagnosis`` does it."""

    id = models.CharField(primary_key=True, max_length=40, default=partial(new_id, "diag"), editable=False)
    owner_user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", db_index=False, verbose_name="owner"
    )
    query = models.TextField(blank=True, default="")
    incident = models.ForeignKey(
        "diagnosis.Incident", models.CASCADE, null=True, blank=True, related_name="diagnoses", db_index=False
    )
    alert = models.ForeignKey("diagnosis.Alert", models.SET_NULL, null=True, blank=True, related_name="+")
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    # Frozen when it began: what was visible to whoever asked.
    knowledge_base_ids = models.JSONField(default=list, blank=True)
    data_source_ids = models.JSONField(default=list, blank=True)
    status = models.CharField(max_length=10, choices=[(s, s) for s in DIAGNOSIS_STATUSES], default=PENDING)
    stage = models.CharField(max_length=20, blank=True, default="")
    verdict = models.CharField(max_length=20, blank=True, default="", choices=[(v, v) for v in Verdict.ALL])
    # The newest job of this diagnosis. Not a foreign key: jobs are pruned, the history stays.
    job_id = models.CharField(max_length=40, blank=True, default="")
    retry_of_diagnosis_id = models.CharField(max_length=40, null=True, blank=True)  # noqa: DJ001  (null: the first)
    error_message = models.TextField(blank=True, default="")
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True, blank=True)
    completed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "diagnoses"
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(name="diagnosis_status_known", condition=Q(status__in=DIAGNOSIS_STATUSES)),
            models.CheckConstraint(
                name="diagnosis_terminal_is_complete",
                condition=(_ACTIVE & Q(completed_at__isnull=True))
                | (~Q(status__in=sorted(DIAGNOSIS_ACTIVE)) & Q(completed_at__isnull=False)),
            ),
            models.CheckConstraint(name="diagnosis_window_forward", condition=Q(ends_at__gt=F("starts_at"))),
            models.UniqueConstraint(fields=["incident"], condition=_ACTIVE, name="diagnosis_one_active_per_incident"),
            models.UniqueConstraint(fields=["retry_of_diagnosis_id"], name="diagnosis_one_successor"),
        ]
        indexes = [
            models.Index("owner_user", F("created_at").desc(), F("id").desc(), name="diagnosis_by_owner"),
            models.Index("incident", F("created_at").desc(), name="diagnosis_by_incident"),
            models.Index(F("created_at").desc(), F("id").desc(), name="diagnosis_newest"),
            models.Index(fields=["job_id"], name="diagnosis_by_job"),
        ]

    def __str__(self) -> str:
        return f"diagnosis {self.id}"


class Step(models.Model):
    """The checkpoint of one stage: its result stands, so a later attempt does not run it again."""

    diagnosis = models.ForeignKey(Diagnosis, models.CASCADE, related_name="steps", db_index=False)
    stage = models.CharField(max_length=20, choices=[(s, s) for s in Stage.ALL])
    result = models.JSONField(default=dict, blank=True)
    finished_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["diagnosis", "stage"], name="step_once")]

    def __str__(self) -> str:
        return f"{self.stage} of {self.diagnosis_id}"


class ToolCall(models.Model):
    """One question to one source. The same question is answered from here the second time."""

    class Status(models.TextChoices):
        OK = "ok"
        FAILED = "failed"

    diagnosis = models.ForeignKey(Diagnosis, models.CASCADE, related_name="tool_calls", db_index=False)
    number = models.PositiveIntegerField()
    stage = models.CharField(max_length=20)
    tool = models.CharField(max_length=50)
    source = models.CharField(max_length=40, blank=True, default="")
    arguments = models.JSONField(default=dict)
    arguments_hash = models.CharField(max_length=64)
    status = models.CharField(max_length=10, choices=Status.choices)
    error = models.CharField(max_length=500, blank=True, default="")
    truncated = models.BooleanField(default=False)
    bytes = models.PositiveBigIntegerField(default=0)
    # Compressed JSON, as the tool gave it.
    answer = models.BinaryField(default=b"")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["diagnosis", "number"], name="tool_call_number"),
            models.UniqueConstraint(fields=["diagnosis", "arguments_hash"], name="tool_call_once"),
        ]

    def __str__(self) -> str:
        return f"{self.tool} {self.number} of {self.diagnosis_id}"


class Evidence(models.Model):
    """What a tool's answer shows: E1, E2 … in the order in which it was found. ``key`` is its name in the engine."""

    diagnosis = models.ForeignKey(Diagnosis, models.CASCADE, related_name="evidence", db_index=False)
    number = models.PositiveIntegerField()
    key = models.CharField(max_length=300)
    kind = models.CharField(max_length=30)
    node = models.CharField(max_length=200, blank=True, default="")
    tool_call = models.ForeignKey(ToolCall, models.CASCADE, null=True, blank=True, related_name="evidence")
    starts_at = models.DateTimeField(null=True, blank=True)
    ends_at = models.DateTimeField(null=True, blank=True)
    summary = models.TextField()
    stats = models.JSONField(default=dict, blank=True)
    sample = models.JSONField(default=dict, blank=True)
    hash = models.CharField(max_length=64)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "evidence"
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["diagnosis", "number"], name="evidence_number"),
            models.UniqueConstraint(fields=["diagnosis", "key"], name="evidence_key_once"),
        ]

    def __str__(self) -> str:
        return f"E{self.number}"


class Report(models.Model):
    """What was concluded, schema version 1. Markdown and HTML are made from it; the same inputs give the same bytes."""

    diagnosis = models.OneToOneField(Diagnosis, models.CASCADE, primary_key=True, related_name="report")
    body = models.JSONField()
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"report of {self.diagnosis_id}"
