"""What happens to an incident: it follows its alerts, is acknowledged once, gathers notes; and when alerts go stale.

``diagnosis.placing`` opens incidents. Each function here is one transaction.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import Count, Max, Min, OuterRef, Q, Subquery
from django.utils import timezone

from diagnosis.intake import lock_intake
from diagnosis.models import Alert, Incident, IncidentNote
from diagnosis.occurrences import batches
from diagnosis.states import FIRING, RESOLVED, STALE
from jobs.masking import mask_text

# Alertmanager's own default.
REPEAT_INTERVAL: Final = timedelta(hours=4)
MOST_NOTE_CHARACTERS: Final = 10_000


class EmptyNote(ValueError):
    """A note must say something, in at most 10,000 characters."""


def settle(incident_ids: Iterable[str], *, now: datetime) -> None:
    """Let incidents follow their alerts, under the owner's lock: one is over with the last alert that fires.

    One with an alert of which nobody has heard for long stays open: silence is no all-clear.
    """
    for batch in batches(sorted(set(incident_ids))):
        found = list(
            Incident.objects.filter(pk__in=batch).annotate(
                going_on=Count("alerts", filter=Q(alerts__state__in=[FIRING, STALE])),
                first_start=Min("alerts__starts_at"),
                last_end=Max("alerts__ends_at"),
            )
        )
        _move_beginnings(found, now=now)
        over = [one.pk for one in found if one.going_on == 0 and one.last_end not in (None, one.resolved_at)]
        last_end = Alert.objects.filter(incident_id=OuterRef("pk")).order_by("-ends_at").values("ends_at")[:1]
        Incident.objects.filter(pk__in=over).update(state=RESOLVED, resolved_at=Subquery(last_end), updated_at=now)


def _move_beginnings(incidents: Iterable[Any], *, now: datetime) -> None:
    """An alert that came late may have begun before all others."""
    moved = [one for one in incidents if one.first_start is not None and one.first_start < one.opened_at]
    for incident in moved:
        incident.opened_at, incident.updated_at = incident.first_start, now
    Incident.objects.bulk_update(moved, ["opened_at", "updated_at"])


def acknowledge(incident_id: str, *, user_id: int, now: datetime | None = None) -> Incident:
    """Say that ``user_id`` looks after it; the first one stays. Raises ``Incident.DoesNotExist``."""
    moment = now or timezone.now()
    # Two at once: the row count is not asked, because either way somebody looks after it.
    waiting = Incident.objects.filter(pk=incident_id, acknowledged_at__isnull=True)
    waiting.update(acknowledged_at=moment, acknowledged_by=user_id, updated_at=moment)
    return Incident.objects.get(pk=incident_id)


def add_note(incident_id: str, *, author_id: int, text: str, now: datetime | None = None) -> IncidentNote:
    """Write into an incident; secrets are masked. Raises ``EmptyNote``, ``Incident.DoesNotExist``."""
    moment = now or timezone.now()
    written = mask_text(text).strip()
    if not written or len(written) > MOST_NOTE_CHARACTERS:
        raise EmptyNote(f"A note must have 1 to {MOST_NOTE_CHARACTERS:,} characters.")
    with transaction.atomic():
        if not Incident.objects.filter(pk=incident_id).update(updated_at=moment):
            raise Incident.DoesNotExist
        return IncidentNote.objects.create(
            incident_id=incident_id, author_id=author_id, text=written, created_at=moment
        )


def mark_stale(now: datetime | None = None, *, repeat_interval: timedelta = REPEAT_INTERVAL) -> int:
    """Mark firing alerts that were not delivered for twice ``repeat_interval``; gives how many."""
    moment = now or timezone.now()
    unseen = Alert.objects.filter(state=FIRING, last_seen_at__lt=moment - 2 * repeat_interval)
    marked = 0
    for owner_id in sorted(set(unseen.order_by().values_list("owner_user_id", flat=True))):
        with transaction.atomic():
            lock_intake(owner_id)
            marked += unseen.filter(owner_user_id=owner_id).update(state=STALE, updated_at=moment)
    return marked
