"""The one module that knows Unfold. Every app's admin takes its classes from here, so the theme can be swapped."""

from typing import Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.safestring import SafeString
from unfold.admin import ModelAdmin as UnfoldModelAdmin
from unfold.admin import TabularInline as UnfoldTabularInline
from unfold.decorators import action, display
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm
from unfold.utils import display_for_label

__all__ = [
    "AdminPasswordChangeForm",
    "BoundedPaginator",
    "ModelAdmin",
    "ReadOnlyModelAdmin",
    "ReadOnlyTabularInline",
    "TabularInline",
    "UserChangeForm",
    "UserCreationForm",
    "action",
    "display",
    "navigation",
    "question",
    "site",
    "status_mark",
]

MOST_COUNTED = 10_000
# (model label, title, icon), in the order of the side bar; a model without an admin is left out.
_SIDEBAR = {
    "Work": [
        ("jobs.job", "Jobs", "manufacturing"),
        ("jobs.worker", "Workers", "memory"),
    ],
    "Alerts": [
        ("diagnosis.incident", "Incidents", "emergency"),
        ("diagnosis.alert", "Alerts", "notifications"),
        ("diagnosis.diagnosis", "Diagnoses", "troubleshoot"),
        ("diagnosis.change", "Changes", "deployed_code"),
        ("diagnosis.rule", "Rules", "rule"),
        ("diagnosis.alertintake", "Last webhooks", "sensors"),
    ],
    "Catalogue": [
        ("diagnosis.datasource", "Data sources", "database"),
        ("diagnosis.service", "Services", "hub"),
    ],
    "Knowledge": [
        ("documents.knowledgebase", "Knowledge bases", "library_books"),
        ("documents.document", "Documents", "description"),
        ("documents.indextask", "Index tasks", "playlist_add_check"),
    ],
    "Owners": [
        ("oncall.user", "Users", "person"),
        ("oncall.team", "Teams", "group"),
        ("oncall.membership", "Memberships", "badge"),
    ],
}

site = admin.site

# The colour of a status, in every list and on every page.
_COLOURS = {
    **dict.fromkeys(("queued", "pending", "stopped"), "default"),
    **dict.fromkeys(("running", "indexing"), "info"),
    **dict.fromkeys(("succeeded", "indexed"), "success"),
    **dict.fromkeys(("failed", "no_text", "silent"), "danger"),
    **dict.fromkeys(("cancelled", "draining"), "warning"),
}


def status_mark(status: str, *, text: str = "") -> SafeString:
    """A status as a word on its colour; ``text`` says it in other words."""
    return display_for_label((status, text or status.replace("_", " ")), "–", _COLOURS)


def question(title: str, description: str, *, yes: str, no: str) -> Any:
    """The ``dialog`` of an action: it is done after ``yes`` alone."""
    return {
        "title": title,
        "description": description,
        "form_submit_text": yes,
        "keep_text": no,
        "form_class": None,
    }


class BoundedCount(int):
    """A count that stopped: it counts as its number and reads as ``10,000+``."""

    def __str__(self) -> str:
        return f"{int(self):,}+"

    def __format__(self, spec: str) -> str:
        return str(self)


class BoundedPaginator(Paginator):
    """Counts at most 10,000 rows: the cost of a list does not grow with the table."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        found = rows.order_by()[: MOST_COUNTED + 1].count() if isinstance(rows, QuerySet) else len(rows)
        return BoundedCount(MOST_COUNTED) if found > MOST_COUNTED else int(found)


class ModelAdmin(UnfoldModelAdmin):
    """An editable list and form with bounded counts."""

    paginator = BoundedPaginator
    show_full_result_count = False
    list_per_page = 50


class TabularInline(UnfoldTabularInline):
    extra = 0


class _ReadOnly:
    """Nothing is added, changed or deleted here: rows change by transitions alone."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnlyModelAdmin(_ReadOnly, ModelAdmin):
    """A list and a page to read. Actions name their own permission (``permissions=["view"]``)."""


class ReadOnlyTabularInline(_ReadOnly, TabularInline):
    can_delete = False


def navigation(request: HttpRequest) -> list[dict[str, Any]]:
    """The side bar: what is registered and what the user may see."""
    registered = {model._meta.label_lower: model for model in site._registry}
    groups = []
    for title, entries in _SIDEBAR.items():
        items = [
            {"title": text, "icon": icon, "link": _changelist(label)}
            for label, text, icon in entries
            if label in registered and site._registry[registered[label]].has_view_permission(request)
        ]
        if items:
            groups.append({"title": title, "separator": True, "items": items})
    return groups


def _changelist(label: str) -> str:
    return reverse(f"admin:{label.replace('.', '_')}_changelist")
