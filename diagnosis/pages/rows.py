"""The list of incidents: what fires first, and what one line says of each, in a fixed number of queries."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db.models import Case, Count, OuterRef, Q, QuerySet, Subquery, Value, When

from diagnosis.models import Alert, Diagnosis, Incident
from diagnosis.pages.incident import shown_state
from diagnosis.states import FIRING, OPEN

SHOWN = 50
SERVICES_SHOWN = 3


@dataclass(frozen=True, slots=True)
class IncidentRow:
    """An incident with its services (at most three, and how many more), its alerts and its newest diagnosis."""

    incident: Incident
    state: str
    services: list[str]
    more_services: int
    alerts: int
    firing: int
    diagnosis: Diagnosis | None


def incident_rows(owners: Collection[int], *, page: int) -> tuple[list[IncidentRow], bool]:
    """The rows of a page (from 1), and whether there are more after it."""
    first = (page - 1) * SHOWN
    found = list(_in_order(owners)[first : first + SHOWN + 1])
    shown = found[:SHOWN]
    told = _alerts_of(incident.pk for incident in shown)
    newest = Diagnosis.objects.in_bulk([incident.newest_diagnosis for incident in shown if incident.newest_diagnosis])  # type: ignore[attr-defined]
    return [_row(incident, told.get(incident.pk, {}), newest) for incident in shown], len(found) > SHOWN


def newest_of(owners: Collection[int]) -> QuerySet[Diagnosis]:
    """Diagnoses of the incident of an outer query, the newest first."""
    mine = Diagnosis.objects.filter(incident=OuterRef("pk"), owner_user_id__in=owners)
    return mine.order_by("-created_at", "-pk")


def _in_order(owners: Collection[int]) -> QuerySet[Incident]:
    going_on = Case(When(state=OPEN, then=Value(0)), default=Value(1))
    found = Incident.objects.filter(owner_user_id__in=owners).select_related("acknowledged_by", "owner_user")
    found = found.annotate(newest_diagnosis=Subquery(newest_of(owners).values("pk")[:1]))
    return found.order_by(going_on, "-opened_at", "-pk")


def _alerts_of(incident_ids: Iterable[str]) -> dict[str, dict[str, tuple[int, int]]]:
    """By incident and service, how many alerts there are and how many of them fire."""
    mine = Alert.objects.filter(incident__in=list(incident_ids)).order_by("incident_id", "service")
    told: dict[str, dict[str, tuple[int, int]]] = {}
    counted = mine.values("incident_id", "service").annotate(
        alerts=Count("pk"), firing=Count("pk", filter=Q(state=FIRING))
    )
    for row in counted:
        told.setdefault(row["incident_id"], {})[row["service"]] = (row["alerts"], row["firing"])
    return told


def _row(incident: Incident, told: dict[str, tuple[int, int]], newest: dict[str, Diagnosis]) -> IncidentRow:
    services = [service for service in told if service]
    firing = sum(firing for _alerts, firing in told.values())
    return IncidentRow(
        incident=incident,
        state=shown_state(incident, firing=firing > 0),
        services=services[:SERVICES_SHOWN],
        more_services=max(0, len(services) - SERVICES_SHOWN),
        alerts=sum(alerts for alerts, _firing in told.values()),
        firing=firing,
        diagnosis=newest.get(incident.newest_diagnosis or ""),  # type: ignore[attr-defined]
    )
