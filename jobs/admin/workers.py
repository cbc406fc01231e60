"""The processes that run jobs: which live, and what each holds."""

from typing import Any

from django.contrib import admin
from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.html import format_html, format_html_join

from jobs.admin.display import NOTHING, breakable, exactly, job_link, short_id, when, whole_id
from jobs.models import Job, Worker
from jobs.states import RUNNING
from oncall.admin_site import ReadOnlyModelAdmin, display, status_mark

SILENT = "silent"
HELD_SHOWN = 50


@admin.register(Worker)
class WorkerAdmin(ReadOnlyModelAdmin):
    list_display = ["worker", "state_label", "heartbeat", "lease", "concurrency", "served", "memory", "started"]
    list_filter = ["state"]
    show_facets = admin.ShowFacets.NEVER
    sortable_by = ()
    ordering = ["-heartbeat_at", "id"]
    fieldsets = [
        (None, {"fields": [("state_text", "full_id"), ("host", "pid"), ("concurrency", "served")]}),
        ("Alive", {"fields": [("heartbeat_exactly", "lease_exactly"), ("started_exactly", "memory"), "version"]}),
        ("Work", {"fields": ["held"]}),
    ]
    readonly_fields = [
        *(
            "state_text",
            "full_id",
            "served",
            "memory",
            "heartbeat_exactly",
            "lease_exactly",
            "started_exactly",
            "held",
        ),
    ]

    @display(description="Worker", header=True)
    def worker(self, worker: Worker) -> list[Any]:
        return [breakable(f"{worker.host}:{worker.pid}"), short_id(worker.pk)]

    @display(description="State")
    def state_label(self, worker: Worker) -> str:
        return status_mark(SILENT if _is_silent(worker) else worker.state)

    @display(description="State")
    def state_text(self, worker: Worker) -> str:
        reason = "killed, or cut off from the database" if _is_silent(worker) else ""
        return format_html("{} {}", self.state_label(worker), reason)

    @display(description="Heartbeat")
    def heartbeat(self, worker: Worker) -> str:
        return when(worker.heartbeat_at)

    @display(description="Lease until")
    def lease(self, worker: Worker) -> str:
        return when(worker.expires_at)

    @display(description="Kinds")
    def served(self, worker: Worker) -> str:
        return ", ".join(worker.kinds) or "all"

    @display(description="Memory")
    def memory(self, worker: Worker) -> str:
        return filesizeformat(worker.memory_bytes)

    @display(description="Started")
    def started(self, worker: Worker) -> str:
        return when(worker.started_at)

    @display(description="Id")
    def full_id(self, worker: Worker) -> str:
        return whole_id(worker.pk)

    @display(description="Heartbeat")
    def heartbeat_exactly(self, worker: Worker) -> str:
        return exactly(worker.heartbeat_at)

    @display(description="Lease until")
    def lease_exactly(self, worker: Worker) -> str:
        return exactly(worker.expires_at)

    @display(description="Started")
    def started_exactly(self, worker: Worker) -> str:
        return exactly(worker.started_at)

    @display(description="Holds")
    def held(self, worker: Worker) -> str:
        jobs = Job.objects.filter(status=RUNNING, lease_owner=worker.pk).order_by("started_at")
        links = [(job_link(pk),) for pk in jobs.values_list("pk", flat=True)[:HELD_SHOWN]]
        return format_html_join(" ", "{}", links) or NOTHING


def _is_silent(worker: Worker) -> bool:
    return worker.state != Worker.State.STOPPED and worker.expires_at < timezone.now()
