"""Which incident each new alert belongs to; incidents are opened here.

An alert of a group belongs to the group's open incident while something in it still goes on. Else, like an alert
without a group, it belongs to the open incident of its neighbourhood; else to a new one. An incident whose alerts were
all over when this one began takes nothing in: the new one is its recurrence.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Final

from diagnosis.incidents import settle
from diagnosis.models import Alert, Incident
from diagnosis.neighbourhood import Neighbourhood
from diagnosis.occurrences import Histories
from diagnosis.states import FIRING, OPEN, RESOLVED

GOES_ON: Final = datetime.max.replace(tzinfo=UTC)
MOST_TITLE: Final = 500
MOST_LOOKED_BACK: Final = 200


@dataclass(slots=True)
class _Span:
    """An incident and the moment up to which something in it goes on, as far as is known."""

    incident: Incident
    until: datetime


class Placing:
    """One delivery's alerts on their way into incidents. The owner's lock is held."""

    def __init__(self, alerts: Sequence[Alert], *, group_key: str, histories: Histories, now: datetime) -> None:
        self.owner_id = alerts[0].owner_user_id
        self.group_key = group_key
        self.now = now
        self.opened: list[tuple[Incident, list[Alert]]] = []
        self._members: dict[str, list[Alert]] = {}
        self._neighbourhood = Neighbourhood(alerts)
        self._histories = histories
        # An alert that fires again while its incident is over leaves that one.
        self._was_in = {alert.pk: alert.incident_id for alert in alerts if alert.incident_id}

    def place(self, alerts: Sequence[Alert]) -> set[str]:
        """Give each alert its incident; gives the ids of all incidents that were touched."""
        ordered = sorted(alerts, key=lambda alert: (alert.starts_at, alert.fingerprint))
        if not self.group_key:
            for alert in ordered:
                self._join(alert, self._neighbourhood.find(alert) or self._open(alert))
            return {alert.incident_id for alert in ordered}
        current = self._of_group()
        touched = {current.incident.pk} if current else set()
        past: list[Alert] = []
        present: list[Alert] = []
        for alert in ordered:
            # What was over before the open incident began is history: it neither belongs to it nor closes it.
            is_past = current and alert.ends_at and alert.ends_at <= current.incident.opened_at
            (past if is_past else present).append(alert)
        self._sweep(past, None, history=True)
        self._sweep(present, current, history=False)
        return touched | {alert.incident_id for alert in ordered}

    def _sweep(self, alerts: Sequence[Alert], current: _Span | None, *, history: bool) -> None:
        """Alerts of one group in the order of their beginning: each belongs to what still went on when it began."""
        for alert in alerts:
            if current is None or alert.starts_at >= current.until:
                near = None if history else self._neighbourhood.find(alert)
                current = _Span(near or self._open(alert), alert.starts_at)
            self._join(alert, current.incident)
            current.until = max(current.until, alert.ends_at or GOES_ON)

    def _of_group(self) -> _Span | None:
        """The group's open incident: its own, else the one that took the group's alerts in."""
        incidents = Incident.objects.filter(owner_user_id=self.owner_id, state=OPEN)
        incident = incidents.filter(group_key=self.group_key).first()
        if incident is None:
            of_group = Alert.objects.filter(owner_user_id=self.owner_id, group_key=self.group_key)
            incident = incidents.filter(pk__in=of_group.values("incident_id")).order_by("opened_at", "pk").first()
        if incident is None:
            return None
        alerts = Alert.objects.filter(incident=incident)
        if alerts.filter(state=FIRING).exists():
            return _Span(incident, GOES_ON)
        last = alerts.filter(ends_at__isnull=False).order_by("-ends_at").values_list("ends_at", flat=True).first()
        return _Span(incident, last or incident.opened_at)

    def _open(self, alert: Alert) -> Incident:
        incident = Incident(
            owner_user_id=self.owner_id,
            title=title_of(alert),
            group_key=self.group_key,
            opened_at=alert.starts_at,
            created_at=self.now,
            updated_at=self.now,
        )
        self._members[incident.pk] = []
        self.opened.append((incident, self._members[incident.pk]))
        return incident

    def _join(self, alert: Alert, incident: Incident) -> None:
        alert.incident = incident
        if incident.pk in self._members:
            self._members[incident.pk].append(alert)
        self._neighbourhood.add(alert, incident)

    # --- Storing ------------------------------------------------------------------------------------------------------

    def store(self) -> None:
        """Store the incidents that were opened; one without a firing alert is over already."""
        if not self.opened:
            return
        for incident, members in self.opened:
            if not any(alert.state == FIRING for alert in members):
                incident.state = RESOLVED
                incident.resolved_at = max(alert.ends_at or alert.starts_at for alert in members)
        self._make_room()
        renamed = self._link()
        Incident.objects.bulk_create([incident for incident, _ in self.opened])
        Incident.objects.bulk_update(renamed, ["recurrence_of"])

    def _make_room(self) -> None:
        """A group has one open incident: where a new one is open, the one before it is over."""
        if self.group_key and any(incident.state == OPEN for incident, _ in self.opened):
            before = Incident.objects.filter(owner_user_id=self.owner_id, state=OPEN, group_key=self.group_key)
            settle(before.values_list("pk", flat=True), now=self.now)
            # What is left has alerts of which nobody has heard for long: whatever comes now is not theirs.
            before.update(state=RESOLVED, resolved_at=self.now, updated_at=self.now)

    def _link(self) -> list[Incident]:
        """Let each incident name the one before it; gives the stored ones to which one opened now is that."""
        line = sorted([*self._stored_of_group(), *(incident for incident, _ in self.opened)], key=_began)
        before: dict[str, str] = {}
        if self.group_key:
            before = {after.pk: incident.pk for incident, after in pairwise(line)}
        for incident, members in self.opened:
            earlier = (self._earlier(alert) for alert in members)
            incident.recurrence_of_id = before.get(incident.pk) or next((found for found in earlier if found), None)
        new = {incident.pk for incident, _ in self.opened}
        followers = [other for other in line if other.pk not in new and before.get(other.pk) in new]
        for other in followers:
            other.recurrence_of_id = before[other.pk]
        return followers

    def _stored_of_group(self) -> list[Incident]:
        if not self.group_key:
            return []
        same = Incident.objects.filter(owner_user_id=self.owner_id, group_key=self.group_key)
        return list(same.order_by("-opened_at", "-pk")[:MOST_LOOKED_BACK])

    def _earlier(self, alert: Alert) -> str | None:
        """The incident of the alert's last firing before this one."""
        if alert.pk in self._was_in:
            return self._was_in[alert.pk]
        last = self._histories.last.get(alert.fingerprint)
        return self._histories.last_incident_id[alert.fingerprint] if last and last < alert.starts_at else None


def title_of(alert: Alert) -> str:
    """What an incident is called after its first alert."""
    return (f"{alert.name} · {alert.service}" if alert.service else alert.name)[:MOST_TITLE]


def _began(incident: Incident) -> tuple[datetime, str]:
    return incident.opened_at, incident.pk
