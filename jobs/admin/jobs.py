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
from jobs.admin.display import (
    NOTHING,
    as_json,
    breakable,
    exactly,
    fold,
    job_link,
    short_id,
    shortened,
    two_lines,
    when,
    whole_id,
)
from jobs.admin.filters import KindFilter
from jobs.admin.history import attempts_table, events_table
from jobs.models import Job
from jobs.states import ACTIVE, CANCELLED, FAILED, QUEUED, RUNNING, SUCCEEDED
from oncall.admin_site import ReadOnlyModelAdmin, action, display

MOST_AT_ONCE = 500
COLOURS = {QUEUED: "default", RUNNING: "info", SUCCEEDED: "success", FAILED: "danger", CANCELLED: "warning"}
LONGEST_ERROR = 40


@admin.register(Job)
class JobAdmin(ReadOnlyModelAdmin):
    list_display = ["job", "status_label", "attempts", "times", "owner", "resource", "error"]
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

    # --- Cells --------------------------------------------------------------------------------------------------------

    @display(description="Job", header=True)
    def job(self, job: Job) -> list[Any]:
        return [breakable(job.kind), short_id(job.pk)]

    @display(description="Status", label=COLOURS)
    def status_label(self, job: Job) -> tuple[str, str]:
        return job.status, self.state(job)

    @display(description="Status")
    def state(self, job: Job) -> str:
        asked = job.status == RUNNING and job.cancel_requested_at is not None
        return "asked to stop" if asked else job.status

    @display(description="Owner")
    def owner(self, job: Job) -> str:
        user = job.owner_user
        return "system" if user is None else user.get_full_name() or user.get_username()

    @display(description="Resource")
    def resource(self, job: Job) -> str:
        return two_lines(job.resource_type, short_id(job.resource_id)) if job.resource_type else NOTHING

    @display(description="Resource")
    def whole_resource(self, job: Job) -> str:
        return two_lines(breakable(job.resource_type), whole_id(job.resource_id)) if job.resource_type else NOTHING

    @display(description="Tries")
    def attempts(self, job: Job) -> str:
        return f"{job.attempt}/{job.max_attempts}"

    @display(description="Created, ended")
    def times(self, job: Job) -> str:
        return two_lines(when(job.created_at), when(job.completed_at))

    @display(description="Error")
    def error(self, job: Job) -> str:
        return shortened(job.error_message, LONGEST_ERROR) if job.error_message else NOTHING

    @display(description="Kind")
    def kind_text(self, job: Job) -> str:
        return breakable(job.kind)

    @display(description="Id")
    def full_id(self, job: Job) -> str:
        return whole_id(job.pk)

    @display(description="Progress")
    def progress_text(self, job: Job) -> str:
        return f"{job.progress:.0%} {job.progress_message}".strip()

    @display(description="Error")
    def whole_error(self, job: Job) -> str:
        return breakable(job.error_message) if job.error_message else NOTHING

    @display(description="Result")
    def result_text(self, job: Job) -> str:
        text = as_json(job.result)
        return fold("JSON", text) if text else NOTHING

    @display(description="Retry of")
    def retry_of(self, job: Job) -> str:
        return job_link(job.retry_of_job_id) if job.retry_of_job_id else NOTHING

    @display(description="Retried as")
    def retried_as(self, job: Job) -> str:
        successor = _successor(job.pk)
        return job_link(successor) if successor else NOTHING

    @display(description="Created")
    def created_exactly(self, job: Job) -> str:
        return exactly(job.created_at)

    @display(description="Available from")
    def available_exactly(self, job: Job) -> str:
        return exactly(job.available_at)

    @display(description="Started")
    def started_exactly(self, job: Job) -> str:
        return exactly(job.started_at)

    @display(description="Ended")
    def completed_exactly(self, job: Job) -> str:
        return exactly(job.completed_at)

    @display(description="Cancel requested")
    def cancel_requested_exactly(self, job: Job) -> str:
        return exactly(job.cancel_requested_at)

    @display(description="Changed")
    def updated_exactly(self, job: Job) -> str:
        return exactly(job.updated_at)

    @display(description="Lease of worker")
    def lease(self, job: Job) -> str:
        return whole_id(job.lease_owner) if job.lease_owner else NOTHING

    @display(description="Lease until")
    def lease_expires(self, job: Job) -> str:
        return exactly(job.lease_expires_at)

    # --- Actions ------------------------------------------------------------------------------------------------------

    def has_steer_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever may change jobs, by Django's permission; the rows themselves are never edited."""
        return request.user.has_perm("jobs.change_job")

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        """Only what would do something to this job."""
        job_id = _plain_id(object_id)
        status = Job.objects.filter(pk=job_id).values_list("status", flat=True).first()
        wanted = {"cancel"} if status in ACTIVE else set()
        if status in (FAILED, CANCELLED) and _successor(job_id) is None:
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
        dialog={
            "title": "Stop this job?",
            "description": "A job that waits is cancelled at once; one that runs stops at its next safe point.",
            "form_submit_text": "Stop the job",
            "form_class": None,
        },
    )
    def cancel_one(self, request: HttpRequest, form: Any, object_id: str) -> HttpResponse:
        return self._steer_one(request, object_id, steering.cancel)

    @action(
        description="Retry",
        permissions=["steer"],
        url_path="retry",
        icon="replay",
        dialog={
            "title": "Retry this job?",
            "description": "A new job does its work again. This one stays as it is.",
            "form_submit_text": "Retry the job",
            "form_class": None,
        },
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


def _successor(job_id: str) -> str | None:
    return Job.objects.filter(retry_of_job_id=job_id).values_list("pk", flat=True).first()


def _plain_id(object_id: str) -> str:
    """The id as it is in the row. Django's admin escapes its underscore in some addresses and not in others."""
    return unquote(object_id) if "_5F" in object_id else object_id
