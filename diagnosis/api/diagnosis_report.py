"""The report of a diagnosis as JSON, Markdown or a page, by what the caller accepts (or ``?format=``)."""

from collections.abc import Callable, Mapping
from typing import Any

from django.http import HttpResponse
from django.utils.http import content_disposition_header
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.generics import GenericAPIView
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from diagnosis.api.diagnosis_finding import diagnosis_in_scope
from diagnosis.models import Diagnosis, Report
from diagnosis.reports.html import page_policy, report_as_page
from diagnosis.reports.markdown import report_as_markdown
from diagnosis.reports.order import in_order
from diagnosis.reports.schema import REPORT
from oncall.api.errors import Conflict, refuse_unknown_parameters
from oncall.api.schema import errors

Write = Callable[[Mapping[str, Any], Mapping[str, str]], str]


class MarkdownRenderer(BaseRenderer):
    media_type = "text/markdown"
    format = "md"


class PageRenderer(BaseRenderer):
    media_type = "text/html"
    format = "html"


WRITERS: Mapping[str, Write] = {
    MarkdownRenderer.media_type: report_as_markdown,
    PageRenderer.media_type: report_as_page,
}
_JSON = OpenApiResponse(REPORT, description="The report, schema version 1.")


class DiagnosisReportView(GenericAPIView):
    """What was concluded. 409 before there is a report."""

    renderer_classes = [JSONRenderer, MarkdownRenderer, PageRenderer]
    pagination_class = None
    extra_parameters = ("format",)

    @extend_schema(
        responses={
            (200, "application/json"): _JSON,
            (200, "text/markdown"): OpenApiTypes.STR,
            (200, "text/html"): OpenApiTypes.STR,
            **errors(409),
        }
    )
    def get(self, request: Request, diagnosis_id: str) -> HttpResponse:
        diagnosis = diagnosis_in_scope(request, diagnosis_id)
        refuse_unknown_parameters(request, self.extra_parameters)
        report = Report.objects.filter(diagnosis_id=diagnosis.pk).first()
        if report is None:
            raise Conflict(f"This diagnosis is {diagnosis.status} and has no report.")
        renderer = request.accepted_renderer
        if renderer.media_type not in WRITERS:
            return Response(in_order(report.body))
        return _written(diagnosis, report, renderer)

    def handle_exception(self, exc: Exception) -> Response:
        """An error is JSON, whatever the caller accepts: the bytes are those of every other address."""
        self.request.accepted_renderer = JSONRenderer()
        self.request.accepted_media_type = JSONRenderer.media_type
        return super().handle_exception(exc)


def _written(diagnosis: Diagnosis, report: Report, renderer: BaseRenderer) -> HttpResponse:
    summaries = diagnosis.evidence.values_list("number", "summary")
    text = WRITERS[renderer.media_type](report.body, {f"E{number}": summary for number, summary in summaries})
    answer = HttpResponse(text, content_type=f"{renderer.media_type}; charset=utf-8")
    name = content_disposition_header(False, f"{diagnosis.pk}.{renderer.format}")
    answer["Content-Disposition"] = name or "inline"
    # Labels of strangers are in it: no script, no origin of ours, nothing guessed.
    answer["Content-Security-Policy"] = page_policy()
    answer["X-Content-Type-Options"] = "nosniff"
    answer["Vary"] = "Accept"
    return answer
