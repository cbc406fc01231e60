"""Which open incident an alert belongs to by the catalogue: one with an alert near it, in time and by calls."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Final

from django.db.models import Q

from diagnosis.models import Alert, Incident, ServiceEdge
from diagnosis.occurrences import batches
from diagnosis.states import FIRING, OPEN

NEAR: Final = timedelta(minutes=10)


class Neighbourhood:
    """Firing alerts of open incidents, by service; and who calls whom. Read once for all alerts of a delivery."""

    def __init__(self, alerts: Sequence[Alert]) -> None:
        self._next_to: dict[str, set[str]] = defaultdict(set)
        self._firing: dict[str, list[tuple[Alert, Incident]]] = defaultdict(list)
        named = [alert for alert in alerts if alert.service]
        if named:
            services = sorted({alert.service for alert in named})
            self._read_edges(named[0].owner_user_id, services)
            self._read_firing(named, sorted({*services, *(name for found in self._next_to.values() for name in found)}))

    def find(self, alert: Alert) -> Incident | None:
        """The incident that was opened first of those with an alert that fires within 10 minutes of ``alert``, of the
        same service or of one that calls it or is called by it."""
        near = [
            incident
            for service in sorted({alert.service, *self._next_to[alert.service]} - {""})
            for other, incident in self._firing[service]
            if abs(other.starts_at - alert.starts_at) <= NEAR
        ]
        return min(near, key=lambda incident: (incident.opened_at, incident.pk), default=None)

    def add(self, alert: Alert, incident: Incident) -> None:
        """``alert`` fires in ``incident`` now."""
        if alert.state == FIRING and alert.service:
            self._firing[alert.service].append((alert, incident))

    def _read_edges(self, owner_id: int, services: Sequence[str]) -> None:
        for batch in batches(services):
            edges = ServiceEdge.objects.filter(caller__owner_user_id=owner_id, callee__owner_user_id=owner_id)
            touching = edges.filter(Q(caller__name__in=batch) | Q(callee__name__in=batch))
            for caller, callee in touching.values_list("caller__name", "callee__name"):
                self._next_to[caller].add(callee)
                self._next_to[callee].add(caller)

    def _read_firing(self, alerts: Sequence[Alert], services: Iterable[str]) -> None:
        earliest = min(alert.starts_at for alert in alerts) - NEAR
        latest = max(alert.starts_at for alert in alerts) + NEAR
        firing = Alert.objects.filter(
            owner_user_id=alerts[0].owner_user_id,
            state=FIRING,
            starts_at__range=(earliest, latest),
            incident__state=OPEN,
        )
        for batch in batches(services):
            for other in firing.filter(service__in=batch).select_related("incident").defer("payload", "annotations"):
                self.add(other, other.incident)
