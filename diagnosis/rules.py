"""Rules of an owner: a firing alert whose labels match begins one diagnosis of its incident.

Alerts that come later belong to the same incident and are evidence of the same diagnosis. Only one that is new to the
incident, and matches, begins another, at most every ten minutes.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone
from structlog import get_logger

from diagnosis.models import Alert, Diagnosis, Incident, Rule
from diagnosis.occurrences import batches
from diagnosis.states import FIRING, OPEN
from diagnosis.transitions import BEFORE_ALERT, ActiveDiagnosis, start_diagnosis
from jobs.models import Job

log = get_logger(__name__)

AGAIN_AFTER: Final = timedelta(minutes=10)
# "Refresh to now" looks no further back: a window of days would ask a source for more points than it gives.
MOST_REFRESHED: Final = timedelta(hours=6)

# Diagnoses that one delivery begins. With a group key it concerns one incident; a pull may concern hundreds.
MOST_AT_ONCE: Final = 10

Matchers = Mapping[str, str | Sequence[str]]


class NameTaken(Exception):
    """The owner has a rule of that name; ``str()`` is a sentence for people."""

    def __init__(self, name: str) -> None:
        super().__init__(f'There is a rule named "{name}" already.')


def matches(matchers: Matchers, labels: Mapping[str, str]) -> bool:
    """Whether each label has the value wanted, or one of them. Without matchers every alert matches."""
    return all(
        labels.get(name) in ([wanted] if isinstance(wanted, str) else wanted) for name, wanted in matchers.items()
    )


# --- Beginning diagnoses --------------------------------------------------------------------------------------------


def begin_diagnoses(incident_ids: Collection[str], *, fresh: Iterable[Alert], now: datetime) -> list[Diagnosis]:
    """Begin what the rules ask for in these open incidents of one owner, in the caller's transaction.

    ``fresh`` are the alerts that began to fire just now: only they begin another diagnosis of an incident.
    """
    waiting = _open_incidents(incident_ids)
    rules = _rules_of({incident.owner_user_id for incident in waiting})
    if not rules:
        return []
    last = _last_begun(waiting)
    new = _matching((alert for alert in fresh if alert.state == FIRING), rules)
    first = [incident.pk for incident in waiting if incident.pk not in last and incident.pk not in new]
    begun: list[Diagnosis] = []
    # An incident without a diagnosis gets one for any alert of it: a rule may be younger than the alert.
    by_incident = {**_matching(_firing_in(first), rules), **new}
    for incident in sorted(waiting, key=lambda incident: (incident.opened_at, incident.pk)):
        if len(begun) >= MOST_AT_ONCE:
            break  # The rest at the next delivery: a storm of unrelated alerts is no reason to ask for all at once.
        alert = by_incident.get(incident.pk)
        if alert is not None and (incident.pk not in last or last[incident.pk] <= now - AGAIN_AFTER):
            begun += _begin_once(incident, alert, now=now)
    return begun


def diagnose_incident(
    incident: Incident, *, alert: Alert | None = None, now: datetime | None = None
) -> tuple[Diagnosis, Job]:
    """A diagnosis of ``incident``, around ``alert`` or its first one. Raises ``ActiveDiagnosis``."""
    moment = now or timezone.now()
    around = alert or _first_alert(incident)
    if around is None or around.starts_at < moment:
        return start_diagnosis(owner_id=incident.owner_user_id, incident=incident, alert=around, now=moment)
    # The sender's clock is ahead of ours: what it calls later is now.
    return start_diagnosis(
        owner_id=incident.owner_user_id,
        incident=incident,
        alert=around,
        starts_at=moment - BEFORE_ALERT,
        ends_at=moment,
        now=moment,
    )


def refresh_incident(incident: Incident, *, now: datetime | None = None) -> tuple[Diagnosis, Job]:
    """A diagnosis of ``incident`` up to now, with what has changed since. Raises ``ActiveDiagnosis``."""
    moment = now or timezone.now()
    begins = max(moment - MOST_REFRESHED, min(incident.opened_at, moment) - BEFORE_ALERT)
    return start_diagnosis(
        owner_id=incident.owner_user_id,
        incident=incident,
        alert=_first_alert(incident),
        starts_at=begins,
        ends_at=moment,
        now=moment,
    )


def _begin_once(incident: Incident, alert: Alert, *, now: datetime) -> list[Diagnosis]:
    try:
        diagnosis, _ = diagnose_incident(incident, alert=alert, now=now)
    except ActiveDiagnosis:
        return []  # Whoever began it, this alert is evidence of that one.
    except ValueError as refusal:  # ``UnknownKind``, too.
        # The alert is worth more than its diagnosis: it is stored whatever happens here.
        log.warning("rule.begins_nothing", incident_id=incident.pk, alert_id=alert.pk, reason=str(refusal))
        return []
    Incident.objects.filter(pk=incident.pk).update(diagnosed_at=now, updated_at=now)
    return [diagnosis]


def _open_incidents(incident_ids: Collection[str]) -> list[Incident]:
    found: list[Incident] = []
    for batch in batches(sorted(incident_ids)):
        found += Incident.objects.filter(pk__in=batch, state=OPEN).order_by("pk")
    return found


def _last_begun(incidents: Sequence[Incident]) -> dict[str, datetime]:
    """By incident, when a diagnosis of it last began: by a rule, or because somebody asked."""
    last = {incident.pk: incident.diagnosed_at for incident in incidents if incident.diagnosed_at is not None}
    for batch in batches(incident.pk for incident in incidents):
        begun = Diagnosis.objects.filter(incident_id__in=batch).order_by().values_list("incident_id")
        for incident_id, created_at in begun.annotate(Max("created_at")):
            last[incident_id] = max(last.get(incident_id, created_at), created_at)
    return last


def _rules_of(owner_ids: Collection[int]) -> list[Rule]:
    return list(Rule.objects.filter(owner_user_id__in=owner_ids, enabled=True))


def _matching(alerts: Iterable[Alert], rules: Sequence[Rule]) -> dict[str, Alert]:
    """By incident, the first of ``alerts`` that a rule matches."""
    found: dict[str, list[Alert]] = defaultdict(list)
    for alert in alerts:
        if any(matches(rule.matchers, alert.labels) for rule in rules):
            found[alert.incident_id].append(alert)
    return {incident_id: min(some, key=lambda alert: alert.starts_at) for incident_id, some in found.items()}


def _firing_in(incident_ids: Sequence[str]) -> Iterable[Alert]:
    for batch in batches(incident_ids):
        yield from Alert.objects.filter(incident_id__in=batch, state=FIRING).defer("payload")


def _first_alert(incident: Incident) -> Alert | None:
    """The alert an incident began with, of those that fire if any does."""
    alerts = Alert.objects.filter(incident=incident).order_by("starts_at", "pk")
    return alerts.filter(state=FIRING).first() or alerts.first()


# --- The rules themselves -------------------------------------------------------------------------------------------


def create_rule(*, owner_id: int, name: str, matchers: Matchers, enabled: bool = True) -> Rule:
    """A new rule. Raises ``NameTaken``."""
    try:
        with transaction.atomic():
            return Rule.objects.create(owner_user_id=owner_id, name=name, matchers=matchers, enabled=enabled)
    except IntegrityError:
        raise NameTaken(name) from None


def change_rule(rule_id: str, *, now: datetime | None = None, **values: Any) -> Rule:
    """Change ``name``, ``matchers``, ``enabled``. Raises ``Rule.DoesNotExist``, ``NameTaken``."""
    try:
        with transaction.atomic():
            Rule.objects.filter(pk=rule_id).update(**values, updated_at=now or timezone.now())
    except IntegrityError:
        raise NameTaken(values.get("name", "")) from None
    return Rule.objects.get(pk=rule_id)


def delete_rule(rule_id: str) -> None:
    """Remove a rule; what it began goes on."""
    Rule.objects.filter(pk=rule_id).delete()
