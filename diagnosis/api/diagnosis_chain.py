"""The whole chain in one answer: what was asked, which stages ran, what was found, what was concluded from it."""

from typing import Any, Final

from drf_spectacular.utils import extend_schema
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from diagnosis.api.diagnosis_finding import diagnosis_in_scope
from diagnosis.api.diagnosis_serializers import EvidenceChainSerializer
from diagnosis.models import Diagnosis, Report

MOST_CALLS: Final = 200
MOST_EVIDENCE: Final = 500


class EvidenceChainView(GenericAPIView):
    """Task, steps, tool calls, evidence, report and links of one diagnosis."""

    serializer_class = EvidenceChainSerializer

    @extend_schema(responses={200: EvidenceChainSerializer})
    def get(self, request: Request, diagnosis_id: str) -> Response:
        return Response(EvidenceChainSerializer(_chain(diagnosis_in_scope(request, diagnosis_id))).data)


def _chain(diagnosis: Diagnosis) -> dict[str, Any]:
    calls = list(diagnosis.tool_calls.defer("answer")[: MOST_CALLS + 1])
    evidence = list(diagnosis.evidence.select_related("tool_call").defer("tool_call__answer")[: MOST_EVIDENCE + 1])
    report = Report.objects.filter(diagnosis_id=diagnosis.pk).first()
    return {
        "task": diagnosis,
        "steps": diagnosis.steps.defer("result"),
        "tool_calls": calls[:MOST_CALLS],
        "evidence": evidence[:MOST_EVIDENCE],
        "report": report.body if report else None,
        "truncated": len(calls) > MOST_CALLS or len(evidence) > MOST_EVIDENCE,
        "links": _links(diagnosis, has_report=report is not None),
    }


def _links(diagnosis: Diagnosis, *, has_report: bool) -> dict[str, str | None]:
    def below(collection: str, pk: str | None) -> str | None:
        return f"/{collection}/{pk}" if pk else None

    own = f"/aiops/diagnostics/{diagnosis.pk}"
    return {
        "diagnosis": own,
        "job": below("background-jobs", diagnosis.job_id if diagnosis.job_status else None),  # type: ignore[attr-defined]
        "events": f"{own}/events",
        "event_stream": f"{own}/events:stream",
        "report": f"{own}/report" if has_report else None,
        "incident": below("aiops/incidents", diagnosis.incident_id),
        "retry_of": below("aiops/diagnostics", diagnosis.retry_of_diagnosis_id),
    }
