"""Where to look: data sources, and the services of an owner with the calls between them."""

from functools import partial

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from oncall.api.ids import new_id


class DataSource(models.Model):
    """A Prometheus, an Alertmanager, or a recorded incident. ``secret`` is encrypted (``oncall.crypto``), never shown.

    ``checked_at`` and ``check_result`` (``ok`` or a class of failure) are of the newest ``:check`` or pull.
    """

    class Kind(models.TextChoices):
        PROMETHEUS = "prometheus"
        ALERTMANAGER = "alertmanager"
        RECORDED = "recorded"

    id = models.CharField(primary_key=True, max_length=40, default=partial(new_id, "src"), editable=False)
    owner_user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", db_index=False, verbose_name="owner"
    )
    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=20, choices=Kind.choices)
    url = models.CharField(max_length=2_000, blank=True, default="")
    secret = models.TextField(blank=True, default="")
    enabled = models.BooleanField(default=True)
    # A recorded source is asked for its own incident only.
    incident = models.ForeignKey(
        "diagnosis.Incident", models.CASCADE, null=True, blank=True, related_name="recorded_sources"
    )
    # What a recorded source holds: the incident folder's files as text, by name.
    recording = models.JSONField(default=dict, blank=True)
    checked_at = models.DateTimeField(null=True, blank=True)
    check_result = models.CharField(max_length=50, blank=True, default="")
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["owner_user", "name"], name="source_name_once_per_owner"),
            models.CheckConstraint(
                name="source_kind_known", condition=Q(kind__in=["prometheus", "alertmanager", "recorded"])
            ),
            models.CheckConstraint(
                name="source_recorded_has_incident", condition=~Q(kind="recorded") | Q(incident__isnull=False)
            ),
        ]
        indexes = [models.Index("owner_user", F("created_at").desc(), F("id").desc(), name="source_by_owner")]

    def __str__(self) -> str:
        return self.name


class Service(models.Model):
    """A node of the catalogue.

    ``selector`` finds its series: label → value, or label with an operator (``pod=~``) → value. ``presets``: names, or
    ``{"name", "selector"}`` where a preset's metrics carry other labels. ``templates``: family → PromQL with
    ``$selector`` and ``$range``; they stand in place of the presets' for their family.
    """

    class Kind(models.TextChoices):
        OWN = "own"
        EXTERNAL = "external"
        CLIENT = "client"

    id = models.CharField(primary_key=True, max_length=40, default=partial(new_id, "svc"), editable=False)
    owner_user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", db_index=False, verbose_name="owner"
    )
    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.OWN)
    selector = models.JSONField(default=dict, blank=True)
    presets = models.JSONField(default=list, blank=True)
    templates = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["owner_user", "name"], name="service_name_once_per_owner"),
            models.CheckConstraint(name="service_kind_known", condition=Q(kind__in=["own", "external", "client"])),
        ]
        indexes = [models.Index("owner_user", F("created_at").desc(), F("id").desc(), name="service_by_owner")]

    def __str__(self) -> str:
        return self.name


class ServiceEdge(models.Model):
    """``caller`` calls ``callee``; both belong to the same owner."""

    caller = models.ForeignKey(Service, models.CASCADE, related_name="calls", db_index=False)
    callee = models.ForeignKey(Service, models.CASCADE, related_name="called_by")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["caller", "callee"], name="edge_once")]

    def __str__(self) -> str:
        return f"{self.caller_id} calls {self.callee_id}"
