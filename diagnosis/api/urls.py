from django.urls import include, path

from diagnosis.api.diagnosis_chain import EvidenceChainView
from diagnosis.api.diagnosis_events import DiagnosisEventStreamView, DiagnosisEventsView
from diagnosis.api.diagnosis_report import DiagnosisReportView
from diagnosis.api.diagnosis_views import CancelDiagnosisView, DiagnosesView, DiagnosisView, RetryDiagnosisView

_DIAGNOSIS = "aiops/diagnostics/<str:diagnosis_id>"

# A verb stands before the plain id, which would take it for a part of itself.
urlpatterns = [
    path("aiops/diagnostics", DiagnosesView.as_view(), name="diagnoses"),
    path(f"{_DIAGNOSIS}:cancel", CancelDiagnosisView.as_view(), name="diagnosis-cancel"),
    path(f"{_DIAGNOSIS}:retry", RetryDiagnosisView.as_view(), name="diagnosis-retry"),
    path(f"{_DIAGNOSIS}/events", DiagnosisEventsView.as_view(), name="diagnosis-events"),
    path(f"{_DIAGNOSIS}/events:stream", DiagnosisEventStreamView.as_view(), name="diagnosis-event-stream"),
    path(f"{_DIAGNOSIS}/evidence-chain", EvidenceChainView.as_view(), name="evidence-chain"),
    path(f"{_DIAGNOSIS}/report", DiagnosisReportView.as_view(), name="diagnosis-report"),
    path(_DIAGNOSIS, DiagnosisView.as_view(), name="diagnosis"),
    path("", include("diagnosis.api.alert_urls")),
    path("", include("diagnosis.api.source_urls")),
]
