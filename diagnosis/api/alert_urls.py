from django.urls import path

from diagnosis.api.alert_views import AlertmanagerView, AlertsView, AlertView, ChangesView
from diagnosis.api.incident_views import (
    AcknowledgeIncidentView,
    DiagnoseIncidentView,
    IncidentsView,
    IncidentView,
    NoteIncidentView,
    RefreshIncidentView,
)
from diagnosis.api.rule_views import RulesView, RuleView

_INCIDENT = "aiops/incidents/<str:incident_id>"

# A verb stands before the plain id, which would take it for a part of itself.
urlpatterns = [
    path("aiops/alerts", AlertsView.as_view(), name="alerts"),
    path("aiops/alerts/alertmanager", AlertmanagerView.as_view(), name="alertmanager"),
    path("aiops/alerts/<str:alert_id>", AlertView.as_view(), name="alert"),
    path("aiops/changes", ChangesView.as_view(), name="changes"),
    path("aiops/incidents", IncidentsView.as_view(), name="incidents"),
    path(f"{_INCIDENT}:acknowledge", AcknowledgeIncidentView.as_view(), name="incident-acknowledge"),
    path(f"{_INCIDENT}:note", NoteIncidentView.as_view(), name="incident-note"),
    path(f"{_INCIDENT}:diagnose", DiagnoseIncidentView.as_view(), name="incident-diagnose"),
    path(f"{_INCIDENT}:refresh", RefreshIncidentView.as_view(), name="incident-refresh"),
    path(_INCIDENT, IncidentView.as_view(), name="incident"),
    path("aiops/rules", RulesView.as_view(), name="rules"),
    path("aiops/rules/<str:rule_id>", RuleView.as_view(), name="rule"),
]
