"""Alerts as they were delivered, the incidents they belong to, changes, and the rules that start a diagnosis."""

from functools import partial

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from diagnosis.states import ALERT_STATES, FIRING, INCIDENT_STATES, OPEN, RESOLVED
from oncall.api.ids import new_id


class Incident(models.Model):
    """Alerts that belong together. It resolves with its last alert, and a resolved one never takes another in."""

    id = models.CharField(primary_key=True, max_length=40, default=partial(new_id, "inc"), editable=False)
    owner_user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", db_index=False, verbose_name="owner"
    )
    title = models.CharField(max_length=500)
    # Alertmanager's groupKey (cut and hashed where long), by which later alerts of the same group find their incident.
    group_key = models.CharField(max_length=255, blank=True, default="")
    state = models.CharField(max_length=10, choices=[(s, s) for s in INCIDENT_STATES], default=OPEN)
    opened_at = models.DateTimeField()
    resolved_at = models.DateTimeField(null=True, blank=True)
    acknowledged_at = models.DateTimeField(null=True, blank=True)
    acknowledged_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    recurrence_of = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="recurrences")
    # When a rule last began a diagnosis: one per incident, a re-run at most every ten minutes.
    diagnosed_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(name="incident_state_known", condition=Q(state__in=INCIDENT_STATES)),
            models.CheckConstraint(
                name="incident_resolved_has_time",
                condition=Q(state=RESOLVED, resolved_at__isnull=False) | Q(state=OPEN, resolved_at__isnull=True),
            ),
            models.UniqueConstraint(
                fields=["owner_user", "group_key"],
                condition=Q(state=OPEN) & ~Q(group_key=""),
                name="incident_one_open_per_group",
            ),
        ]
        indexes = [
            models.Index("owner_user", F("created_at").desc(), F("id").desc(), name="incident_by_owner"),
            models.Index(F("created_at").desc(), F("id").desc(), name="incident_newest"),
            # Whole ones: SQLite takes no partial index for a condition whose value is a parameter.
            models.Index(fields=["owner_user", "state"], name="incident_by_state"),
            models.Index(fields=["owner_user", "group_key", "opened_at"], name="incident_by_group"),
        ]

    def __str__(self) -> str:
        return self.title


class Alert(models.Model):
    """One firing of one alert: (owner, source, fingerprint, starts_at). Deliveries repeat, come late, out of order."""

    id = models.CharField(primary_key=True, max_length=40, default=partial(new_id, "alert"), editable=False)
    owner_user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", db_index=False, verbose_name="owner"
    )
    # Who delivered it: ``alertmanager`` or ``sample``; fingerprints are unique within a source.
    source = models.CharField(max_length=100)
    fingerprint = models.CharField(max_length=64)
    name = models.CharField(max_length=200)
    service = models.CharField(max_length=200, blank=True, default="")
    state = models.CharField(max_length=10, choices=[(s, s) for s in ALERT_STATES], default=FIRING)
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField(null=True, blank=True)
    # Nobody told its end, but the same alert fires again since ``ends_at``: the word of its end was lost.
    superseded = models.BooleanField(default=False)
    last_seen_at = models.DateTimeField()
    deliveries = models.PositiveIntegerField(default=1)
    labels = models.JSONField(default=dict, blank=True)
    annotations = models.JSONField(default=dict, blank=True)
    generator_url = models.CharField(max_length=2_000, blank=True, default="")
    # The group that first delivered it: an incident may hold the alerts of several groups of one neighbourhood.
    group_key = models.CharField(max_length=255, blank=True, default="")
    # As it came, masked: what an engineer compares with what Alertmanager shows.
    payload = models.JSONField(default=dict, blank=True)
    incident = models.ForeignKey(Incident, models.CASCADE, related_name="alerts", db_index=False)
    recurrence_of = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="recurrences")
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["owner_user", "source", "fingerprint", "starts_at"], name="alert_once"),
            models.CheckConstraint(name="alert_state_known", condition=Q(state__in=ALERT_STATES)),
            models.CheckConstraint(
                name="alert_resolved_has_end", condition=~Q(state=RESOLVED) | Q(ends_at__isnull=False)
            ),
        ]
        indexes = [
            models.Index("owner_user", F("created_at").desc(), F("id").desc(), name="alert_by_owner"),
            models.Index("incident", "starts_at", name="alert_by_incident"),
            models.Index(fields=["state", "last_seen_at"], name="alert_by_state"),
            models.Index(fields=["owner_user", "group_key"], name="alert_by_group"),
        ]
        permissions = [("view_content", "Can read the content of alerts, evidence and reports of all owners")]

    def __str__(self) -> str:
        return self.name


class AlertIntake(models.Model):
    """When an owner's alerts last came in. The row is also the lock: one delivery of an owner is filed at a time."""

    owner_user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="+")
    webhook_at = models.DateTimeField(null=True, blank=True)
    # The last Watchdog: the alert that always fires, so that its silence is told from peace.
    heartbeat_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"alerts of {self.owner_user_id}"


class IncidentNote(models.Model):
    """What somebody wrote into an incident."""

    incident = models.ForeignKey(Incident, models.CASCADE, related_name="notes")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", db_index=False)
    text = models.TextField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["created_at", "id"]

    def __str__(self) -> str:
        return f"note of {self.author_id} in {self.incident_id}"


class Change(models.Model):
    """Something that was done to a service: a deploy, a configuration change, a feature flag."""

    id = models.CharField(primary_key=True, max_length=40, default=partial(new_id, "chg"), editable=False)
    owner_user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", db_index=False, verbose_name="owner"
    )
    service = models.CharField(max_length=200)
    kind = models.CharField(max_length=50)
    at = models.DateTimeField()
    version = models.CharField(max_length=200, blank=True, default="")
    url = models.CharField(max_length=2_000, blank=True, default="")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-at", "-id"]
        constraints = [
            # A deploy tool that tries again does not deploy twice.
            models.UniqueConstraint(fields=["owner_user", "service", "kind", "at", "version"], name="change_once")
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.service}"


class Rule(models.Model):
    """Alerts whose labels match begin a diagnosis of their incident; ``matchers`` maps a label to the value wanted."""

    id = models.CharField(primary_key=True, max_length=40, default=partial(new_id, "rule"), editable=False)
    owner_user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", verbose_name="owner")
    name = models.CharField(max_length=200)
    matchers = models.JSONField(default=dict, blank=True)
    enabled = models.BooleanField(default=True)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [models.UniqueConstraint(fields=["owner_user", "name"], name="rule_name_once_per_owner")]

    def __str__(self) -> str:
        return self.name
