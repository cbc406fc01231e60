"""What Alertmanager lists as active, taken in: repairs a webhook that never came, and shows that old alerts live."""

from datetime import datetime
from typing import Any

from django.utils import timezone

from diagnosis.alerts import TakenIn, take_in
from diagnosis.catalogue.checking import OK, remember
from diagnosis.datasources.opening import alertmanager_for
from diagnosis.datasources.protocol import SourceFailed
from diagnosis.delivered import BadField, read_alert
from diagnosis.incidents import mark_stale
from diagnosis.models import DataSource
from diagnosis.webhook import MOST_ALERTS, Delivery, Invalid


def pull(source: DataSource, *, now: datetime | None = None) -> TakenIn | None:
    """File the active alerts of an Alertmanager for the owner of ``source``; None when it failed.

    The result is kept in the source's row. Then whatever was not heard of for long is marked stale: what was listed
    just now is not.
    """
    moment = now or timezone.now()
    try:
        listed = alertmanager_for(source).alerts()
    except SourceFailed as failed:
        remember(source, failed.code, now=moment)
        taken = None
    else:
        remember(source, OK, now=moment)
        taken = take_in(_delivery(listed, now=moment), owner_id=source.owner_user_id, by_webhook=False, now=moment)
    mark_stale(moment)
    return taken


def _delivery(listed: list[dict[str, Any]], *, now: datetime) -> Delivery:
    delivery = Delivery(received=len(listed))
    for index, value in enumerate(listed[:MOST_ALERTS]):
        try:
            alert = read_alert(_as_delivered(value), now=now, seen_at=now)
        except BadField as bad:
            delivery.invalid.append(Invalid(index, bad.field, bad.detail))
            continue
        if alert.is_heartbeat:
            delivery.heartbeats += 1
        else:
            delivery.alerts.append(alert)
    return delivery


def _as_delivered(listed: dict[str, Any]) -> dict[str, Any]:
    """The form of the webhook. ``endsAt`` of a listed alert is when it would run out, and it has not; ``status`` is
    about silences."""
    return {**listed, "status": "firing", "endsAt": ""}
