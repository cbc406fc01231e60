"""The list of jobs and the page of one, for operators. Rows are read here; cancel and retry are transitions."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from jobs.admin import steering
from jobs.admin.filters import KindFilter
from jobs.admin.history import attempts_table, events_table
from jobs.admin.job_cells import JobCells, successor_of
from jobs.models import Job
from jobs.states import ACTIVE, CANCELLED, FAILED
from oncall.admin_site import ReadOnlyModelAdmin, action, question

MOST_AT_ONCE = 500


@admin.register(Job)
class JobAdmin(JobCells, ReadOnlyModelAdmin):
    list_display = ["job", "state", "attempts", "times", "owner", "resource", "error"]
    list_filter = ["status", KindFilter]
    search_fields = ["id"]
    search_help_text = "The id of a job, its last characters, or the id of what it works for."
    show_facets = admin.ShowFacets.NEVER  # They would count every row.
    sortable_by = ()
    ordering = ["-created_at", "-id"]
    list_select_related = ["owner_user"]
    actions = ["cancel_selected", "retry_selected"]
    actions_row = ["cancel_one", "retry_one"]
    actions_detail = ["cancel_one", "retry_one"]
    change_form_after_template = "admin/jobs/history.html"
    fieldsets = [
        (None, {"fields": [("state", "kind_text"), ("full_id", "owner"), ("whole_resource", "progress_text")]}),
        ("Outcome", {"fields": ["whole_error", "result_text"]}),
        ("Lineage", {"fields": [("retry_of", "retried_as")]}),
        (
            "Times",
            {
                "fields": [
                    ("created_exactly", "available_exactly"),
                    ("started_exactly", "completed_exactly"),
                    ("cancel_requested_exactly", "updated_exactly"),
                ]
            },
        ),
        ("Limits", {"fields": [("attempts", "priority"), ("timeout_seconds", "epoch"), ("lease", "lease_expires")]}),
    ]
    readonly_fields = [
        *("full_id", "state", "kind_text", "owner", "whole_resource", "progress_text", "whole_error", "result_text"),
        *("retry_of", "retried_as", "created_exactly", "available_exactly", "started_exactly", "completed_exactly"),
        *("cancel_requested_exactly", "updated_exactly", "attempts", "lease", "lease_expires"),
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Job]:
        return super().get_queryset(request).defer("payload", "result")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Job], search_term: str
    ) -> tuple[QuerySet[Job], bool]:
        term = search_term.strip().lstrip("…")
        if not term:
            return queryset, False
        return queryset.filter(Q(pk=term) | Q(resource_id=term) | Q(pk__endswith=term)), False

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> Any:
        job = kwargs.get("obj")
        if job is not None:
            context.update(tables=[attempts_table(job), events_table(job)])
        return super().render_change_form(request, context, *args, **kwargs)

    # --- Actions ------------------------------------------------------------------------------------------------------

    def has_steer_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever may change jobs, by Django's permission; the rows themselves are never edited."""
        return request.user.has_perm("jobs.change_job")

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        """Only what would do something to this job."""
        job_id = _plain_id(object_id)
        status = Job.objects.filter(pk=job_id).values_list("status", flat=True).first()
        wanted = {"cancel"} if status in ACTIVE else set()
        if status in (FAILED, CANCELLED) and successor_of(job_id) is None:
            wanted = {"retry"}
        return [found for found in super().get_actions_detail(request, object_id) if found.path in wanted]

    @action(description="Cancel the selected jobs", permissions=["steer"])
    def cancel_selected(self, request: HttpRequest, queryset: QuerySet[Job]) -> None:
        self._steer_selected(request, queryset, steering.cancel)

    @action(description="Retry the selected jobs", permissions=["steer"])
    def retry_selected(self, request: HttpRequest, queryset: QuerySet[Job]) -> None:
        self._steer_selected(request, queryset, steering.retry)

    @action(
        description="Cancel",
        permissions=["steer"],
        url_path="cancel",
        icon="cancel",
        dialog=question(
            "Cancel this job?",
            "A job that waits is cancelled at once; one that runs stops at its next safe point.",
            yes="Cancel the job",
            no="Keep it running",
        ),
    )
    def cancel_one(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        return self._steer_one(request, object_id, steering.cancel)

    @action(
        description="Retry",
        permissions=["steer"],
        url_path="retry",
        icon="replay",
        dialog=question(
            "Retry this job?",
            "A new job does its work again. This one stays as it is.",
            yes="Retry the job",
            no="Leave it",
        ),
    )
    def retry_one(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        return self._steer_one(request, object_id, steering.retry)

    def _steer_selected(
        self, request: HttpRequest, queryset: QuerySet[Job], do: Callable[[str], steering.Done]
    ) -> None:
        ids = list(queryset.values_list("pk", flat=True)[: MOST_AT_ONCE + 1])
        self._steer(request, ids[:MOST_AT_ONCE], do)
        if len(ids) > MOST_AT_ONCE:
            text = f"Only the first {MOST_AT_ONCE} of the selected jobs were dealt with; do it again for the rest."
            self.message_user(request, text, messages.WARNING)

    def _steer_one(self, request: HttpRequest, job_id: str, do: Callable[[str], steering.Done]) -> HttpResponse:
        self._steer(request, [_plain_id(job_id)], do)
        back = request.headers.get("HX-Current-URL", "")
        if not url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()}):
            back = reverse("admin:jobs_job_changelist")
        if "HX-Request" in request.headers:
            return HttpResponse(headers={"HX-Redirect": back})
        return HttpResponseRedirect(back)

    def _steer(self, request: HttpRequest, ids: list[str], do: Callable[[str], steering.Done]) -> None:
        report = steering.steer(ids, do)
        for job in Job.objects.filter(pk__in=report.changed).defer("payload", "result"):
            self.log_change(request, job, f"{do.__name__} by hand")
        self.message_user(request, report.text, messages.SUCCESS if report.changed else messages.WARNING)


def _plain_id(object_id: str) -> str:
    """The id as it is in the row. Django's admin escapes its underscore in some addresses and not in others."""
    return unquote(object_id) if "_5F" in object_id else object_id
