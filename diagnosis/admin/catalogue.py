"""Data sources and services for operators: of all owners, to read. Secrets and recordings are not shown."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from diagnosis.models import DataSource, Service, ServiceEdge
from oncall.admin_site import ReadOnlyModelAdmin, ReadOnlyTabularInline


@admin.register(DataSource)
class DataSourceAdmin(ReadOnlyModelAdmin):
    list_display = ["name", "owner_user", "kind", "enabled", "has_secret", "check_result", "checked_at"]
    list_filter = ["kind", "enabled", "check_result"]
    list_select_related = ["owner_user"]
    search_fields = ["id", "name", "url", "owner_user__username"]
    fields = [
        "id",
        "owner_user",
        "name",
        "kind",
        "url",
        "enabled",
        "has_secret",
        "incident",
        "check_result",
        "checked_at",
        "created_at",
        "updated_at",
    ]
    readonly_fields = ["has_secret"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[DataSource]:
        return super().get_queryset(request).defer("recording")

    @admin.display(boolean=True, description="secret")
    def has_secret(self, source: DataSource) -> bool:
        return bool(source.secret)


class CallInline(ReadOnlyTabularInline):
    model = ServiceEdge
    fk_name = "caller"
    fields = ["callee"]
    readonly_fields = fields
    verbose_name_plural = "calls"


@admin.register(Service)
class ServiceAdmin(ReadOnlyModelAdmin):
    list_display = ["name", "owner_user", "kind", "presets", "created_at"]
    list_filter = ["kind"]
    list_select_related = ["owner_user"]
    search_fields = ["id", "name", "owner_user__username"]
    inlines = [CallInline]
    fields = ["id", "owner_user", "name", "kind", "selector", "presets", "templates", "created_at", "updated_at"]
