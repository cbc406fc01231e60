"""Alertmanager's webhook, version 4: one body becomes the alerts that are valid and a list of those that are not."""

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from diagnosis.delivered import BadField, Delivered, read_alert
from jobs.masking import mask_text

VERSION: Final = "4"
# What fits into the largest body that is taken, at the size of a real alert.
MOST_ALERTS: Final = 20_000
MOST_GROUP_KEY: Final = 255


class NotADelivery(Exception):
    """The body is no webhook of version 4; ``field`` says where, ``str()`` is a sentence for people."""

    def __init__(self, field: str, detail: str) -> None:
        super().__init__(detail)
        self.field = field


@dataclass(frozen=True, slots=True)
class Invalid:
    """A bad alert of the body: its place, counted from 0, the field, and what is wrong with it."""

    index: int
    field: str
    detail: str


@dataclass(slots=True)
class Delivery:
    """``group_key`` is ``""`` when the sender groups nothing."""

    group_key: str = ""
    received: int = 0
    alerts: list[Delivered] = field(default_factory=list)
    heartbeats: int = 0
    invalid: list[Invalid] = field(default_factory=list)


def read_delivery(body: Any, *, now: datetime) -> Delivery:
    """What a webhook's JSON holds. Raises ``NotADelivery``; a bad alert spoils only itself."""
    alerts = _checked(body)["alerts"]
    delivery = Delivery(group_key=short_group_key(body.get("groupKey") or ""), received=len(alerts))
    for index, value in enumerate(alerts):
        try:
            alert = read_alert(value, now=now)
        except BadField as bad:
            delivery.invalid.append(Invalid(index, bad.field, bad.detail))
            continue
        if alert.is_heartbeat:
            delivery.heartbeats += 1
        else:
            delivery.alerts.append(alert)
    return delivery


def short_group_key(text: str) -> str:
    """A group's key as it is stored: masked, and, where it is long, its beginning and a hash of the whole."""
    masked = mask_text(text)
    if len(masked) <= MOST_GROUP_KEY:
        return masked
    digest = hashlib.sha256(masked.encode()).hexdigest()
    return f"{masked[: MOST_GROUP_KEY - len(digest) - 1]}…{digest}"


def _checked(body: Any) -> dict[str, Any]:
    if not isinstance(body, dict):
        raise NotADelivery("", "The body must be an object of Alertmanager's webhook, version 4.")
    if body.get("version") != VERSION:
        raise NotADelivery("version", f'Must be "{VERSION}", the version of Alertmanager\'s webhook.')
    if not isinstance(body.get("groupKey"), (str, type(None))):
        raise NotADelivery("groupKey", "Must be a text.")
    if not isinstance(body.get("alerts"), list):
        raise NotADelivery("alerts", "Must be a list of alerts.")
    if len(body["alerts"]) > MOST_ALERTS:
        raise NotADelivery("alerts", f"Must have at most {MOST_ALERTS:,} alerts.")
    return body
