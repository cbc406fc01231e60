"""The tables of diagnosis: what fired, what changed, where to look, and what was found."""

from diagnosis.models.alerts import Alert, AlertIntake, Change, Incident, IncidentNote, Rule
from diagnosis.models.catalogue import DataSource, Service, ServiceEdge
from diagnosis.models.diagnoses import Diagnosis, Evidence, Report, Step, ToolCall

__all__ = [
    "Alert",
    "AlertIntake",
    "Change",
    "DataSource",
    "Diagnosis",
    "Evidence",
    "Incident",
    "IncidentNote",
    "Report",
    "Rule",
    "Service",
    "ServiceEdge",
    "Step",
    "ToolCall",
]
