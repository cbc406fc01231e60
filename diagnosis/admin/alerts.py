"""Alerts, incidents, changes and rules for operators: of all owners, to read."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from diagnosis.admin.content import ContentAdmin, may_see_content
from diagnosis.models import Alert, AlertIntake, Change, Incident, IncidentNote, Rule
from oncall.admin_site import ReadOnlyModelAdmin, ReadOnlyTabularInline


@admin.register(Alert)
class AlertAdmin(ContentAdmin):
    list_display = ["name", "service", "owner_user", "source", "state", "starts_at", "ends_at", "last_seen_at"]
    list_filter = ["state"]
    list_select_related = ["owner_user"]
    search_fields = ["id", "fingerprint", "name", "service", "incident__id"]
    ordering = ["-created_at", "-id"]
    content_fields = ["annotations", "payload"]
    fields = [
        "id",
        "owner_user",
        "incident",
        "source",
        "fingerprint",
        "name",
        "service",
        "state",
        "starts_at",
        "ends_at",
        "superseded",
        "last_seen_at",
        "deliveries",
        "labels",
        "generator_url",
        "group_key",
        "recurrence_of",
        "created_at",
        "updated_at",
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Alert]:
        alerts = super().get_queryset(request)
        return alerts if may_see_content(request) else alerts.defer("annotations", "payload")


class NoteInline(ReadOnlyTabularInline):
    model = IncidentNote
    fields = ["created_at", "author", "text"]
    readonly_fields = fields


@admin.register(Incident)
class IncidentAdmin(ContentAdmin):
    list_display = ["title", "owner_user", "state", "opened_at", "resolved_at", "acknowledged_by", "diagnosed_at"]
    list_filter = ["state"]
    list_select_related = ["owner_user", "acknowledged_by"]
    search_fields = ["id", "title"]
    ordering = ["-created_at", "-id"]
    content_inlines = [NoteInline]
    fields = [
        "id",
        "owner_user",
        "title",
        "group_key",
        "state",
        "opened_at",
        "resolved_at",
        "acknowledged_at",
        "acknowledged_by",
        "recurrence_of",
        "diagnosed_at",
        "created_at",
        "updated_at",
    ]


@admin.register(AlertIntake)
class AlertIntakeAdmin(ReadOnlyModelAdmin):
    list_display = ["owner_user", "webhook_at", "heartbeat_at"]
    list_select_related = ["owner_user"]
    search_fields = ["owner_user__username"]
    fields = ["owner_user", "webhook_at", "heartbeat_at"]


@admin.register(Change)
class ChangeAdmin(ReadOnlyModelAdmin):
    list_display = ["service", "kind", "version", "owner_user", "at"]
    list_select_related = ["owner_user"]
    search_fields = ["id", "service", "version"]
    fields = ["id", "owner_user", "service", "kind", "at", "version", "url", "created_at"]


@admin.register(Rule)
class RuleAdmin(ReadOnlyModelAdmin):
    list_display = ["name", "owner_user", "enabled", "created_at"]
    list_filter = ["enabled"]
    list_select_related = ["owner_user"]
    search_fields = ["id", "name", "owner_user__username"]
    fields = ["id", "owner_user", "name", "matchers", "enabled", "created_at", "updated_at"]
