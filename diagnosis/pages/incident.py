"""What the page of one incident shows: its alerts, changes, links, notes, and what its newest diagnosis found."""

from collections.abc import Collection, Iterable, Iterator
from datetime import timedelta
from typing import Any

from django.db.models import Case, QuerySet, Value, When
from django.utils.translation import gettext as _

from diagnosis.models import Alert, Change, Diagnosis, Incident, Report
from diagnosis.pages.facts import facts_of
from diagnosis.pages.pieces import WebLink
from diagnosis.reports.urls import is_web_url
from diagnosis.states import DIAGNOSIS_ACTIVE, FIRING, RESOLVED, STALE, SUCCEEDED

ALERTS_OPEN = 3
ALERTS_SHOWN = 100
CHANGES_SHOWN = 50
DIAGNOSES_SHOWN = 10
RECURRENCES_SHOWN = 10
LOOK_BACK = timedelta(hours=2)
LOOK_AHEAD = timedelta(minutes=15)


def context_of(incident: Incident, *, owners: Collection[int]) -> dict[str, Any]:
    alerts = list(_alerts(incident)[: ALERTS_SHOWN + 1])
    diagnoses = list(
        Diagnosis.objects.filter(incident=incident, owner_user_id__in=owners).order_by("-created_at", "-pk")[
            :DIAGNOSES_SHOWN
        ]
    )
    newest = diagnoses[0] if diagnoses else None
    reported = next((diagnosis for diagnosis in diagnoses if diagnosis.status == SUCCEEDED), None)
    return {
        "incident": incident,
        "first_alerts": alerts[:ALERTS_OPEN],
        "other_alerts": alerts[ALERTS_OPEN:ALERTS_SHOWN],
        "alerts_shown": ALERTS_SHOWN,
        "more_alerts": len(alerts) > ALERTS_SHOWN,
        "links": list(links_of(alerts)),
        "changes": [(change, change.url if is_web_url(change.url) else "") for change in _changes(incident)],
        "notes": incident.notes.select_related("author"),
        "earlier": _others_of_its_kind(incident, owners),
        "diagnoses": diagnoses,
        "newest": newest,
        "under_way": newest is not None and newest.status in DIAGNOSIS_ACTIVE,
        "reported": reported,
        "report": Report.objects.filter(diagnosis=reported).first() if reported else None,
        "facts": _without_links(facts_of(newest, reported)),
        "state": shown_state(incident, firing=any(alert.state == FIRING for alert in alerts)),
    }


def shown_state(incident: Incident, *, firing: bool) -> str:
    """``firing``, ``stale`` where only alerts are left of which nobody has heard for long, or ``resolved``."""
    return RESOLVED if incident.state == RESOLVED else FIRING if firing else STALE


def links_of(alerts: Iterable[Alert]) -> Iterator[WebLink]:
    """Runbooks and dashboards that the alerts name, each once; anything but http and https is no link."""
    seen = set()
    for alert in alerts:
        given = [(name, text) for name, text in sorted(alert.annotations.items()) if isinstance(text, str)]
        for name, text in [*given, (_("Alert rule"), alert.generator_url)]:
            if is_web_url(text) and text not in seen:
                seen.add(text)
                label = name.removesuffix("_url").removesuffix("URL").replace("_", " ").strip()
                yield WebLink(label[:1].upper() + label[1:] or text, text)


def _without_links(facts: dict[str, Any] | None) -> dict[str, Any] | None:
    """The alerts' links stand on this page already."""
    return {**facts, "links": []} if facts else None


def _alerts(incident: Incident) -> QuerySet[Alert]:
    firing_first = Case(When(state=FIRING, then=Value(0)), default=Value(1))
    return Alert.objects.filter(incident=incident).defer("payload").order_by(firing_first, "-starts_at", "-pk")


def _changes(incident: Incident) -> QuerySet[Change]:
    """What was reported from two hours before the incident until a quarter after, of all services of its owner."""
    start, end = incident.opened_at - LOOK_BACK, incident.opened_at + LOOK_AHEAD
    reported = Change.objects.filter(owner_user_id=incident.owner_user_id, at__gte=start, at__lte=end)
    return reported.order_by("-at", "-pk")[:CHANGES_SHOWN]


def _others_of_its_kind(incident: Incident, owners: Collection[int]) -> list[Incident]:
    """Other times when this happened: the first one, and those that name the same first one."""
    first = incident.recurrence_of_id or incident.pk
    mine = Incident.objects.filter(owner_user_id__in=owners).exclude(pk=incident.pk)
    same = mine.filter(pk=first) | mine.filter(recurrence_of_id=first)
    return list(same.order_by("-opened_at", "-pk")[:RECURRENCES_SHOWN])
