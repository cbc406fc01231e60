"""Diagnoses for operators: how far each is and what it asked, of all owners, to read.

What it was about and what it found (question, evidence, report) is content of its owner: shown only with the permission
``diagnosis.view_content``, and every look at it is written down in the admin's log.
"""

import json
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html, format_html_join

from diagnosis.models import Diagnosis, Report, Step, ToolCall
from diagnosis.reports.markdown import report_as_markdown
from oncall.admin_site import ReadOnlyModelAdmin, ReadOnlyTabularInline, display

VIEW_CONTENT = "diagnosis.view_content"
EVIDENCE_SHOWN = 500
_CONTENT = ("query", "evidence_text", "report_text")


class StepInline(ReadOnlyTabularInline):
    model = Step
    fields = ["stage", "finished_at"]
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Step]:
        return super().get_queryset(request).defer("result")


class ToolCallInline(ReadOnlyTabularInline):
    model = ToolCall
    fields = ["number", "stage", "tool", "source", "status", "truncated", "bytes", "created_at"]
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[ToolCall]:
        return super().get_queryset(request).defer("arguments", "answer", "error")


@admin.register(Diagnosis)
class DiagnosisAdmin(ReadOnlyModelAdmin):
    list_display = ["id", "owner_user", "status", "stage", "verdict", "created_at", "completed_at"]
    list_filter = ["status", "verdict"]
    show_facets = admin.ShowFacets.NEVER
    list_select_related = ["owner_user"]
    search_fields = ["id", "job_id", "owner_user__username"]
    inlines = [StepInline, ToolCallInline]
    readonly_fields = ["evidence_text", "report_text"]
    fields = [
        "id",
        "owner_user",
        "job_id",
        "retry_of_diagnosis_id",
        "status",
        "stage",
        "verdict",
        "error_message",
        "starts_at",
        "ends_at",
        "created_at",
        "updated_at",
        "started_at",
        "completed_at",
    ]

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return [*self.fields, *(_CONTENT if request.user.has_perm(VIEW_CONTENT) else ())]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Diagnosis]:
        found = super().get_queryset(request)
        return found if request.user.has_perm(VIEW_CONTENT) else found.defer("query")

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        answer = super().change_view(request, object_id, *args, **kwargs)
        diagnosis = self.get_object(request, object_id)
        if diagnosis is not None and answer.status_code == 200 and request.user.has_perm(VIEW_CONTENT):
            self.log_change(request, diagnosis, "read question, evidence and report")
        return answer

    @display(description="Evidence")
    def evidence_text(self, diagnosis: Diagnosis) -> str:
        rows = diagnosis.evidence.values_list("number", "kind", "summary", "stats")[:EVIDENCE_SHOWN]
        lines = ((f"E{number}", kind, summary, json.dumps(stats)) for number, kind, summary, stats in rows)
        return format_html_join("", "<p>{} ({}): {} {}</p>", lines) or "–"

    @display(description="Report")
    def report_text(self, diagnosis: Diagnosis) -> str:
        report = Report.objects.filter(diagnosis_id=diagnosis.pk).first()
        text = report_as_markdown(report.body, {}) if report is not None else "–"
        return format_html("<pre>{}</pre>", text)
