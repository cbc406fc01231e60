"""One alert of a delivery: read, bounded and masked, or refused with the field and a sentence. Pure.

Nothing in it is believed: text of any script and markup stay as they are (whoever shows them escapes them), NUL and
half characters become U+FFFD, secrets are masked.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal

from diagnosis.alert_service import service_of
from diagnosis.states import FIRING, RESOLVED
from jobs.masking import mask_json, mask_text

WATCHDOG: Final = "Watchdog"
UNNAMED: Final = "unnamed alert"
MOST_PAIRS: Final = 100
MOST_NAME: Final = 256
MOST_LABEL: Final = 2_000
MOST_ANNOTATION: Final = 8_000
MOST_URL: Final = 2_000
MOST_FINGERPRINT: Final = 64
MOST_TIME: Final = 64
MOST_ALERT_NAME: Final = 200
EARLIEST_YEAR: Final = 1970
# A clock that goes wrong goes wrong by hours; a start beyond that is no clock's.
MOST_AHEAD: Final = timedelta(days=1)


class BadField(Exception):
    """What is wrong with one field, as a sentence for people."""

    def __init__(self, field: str, detail: str) -> None:
        super().__init__(detail)
        self.field = field
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Delivered:
    """A valid alert. ``state`` is firing or resolved; ``ends_at`` is None exactly while it fires."""

    fingerprint: str
    name: str
    service: str
    state: Literal["firing", "resolved"]
    starts_at: datetime
    ends_at: datetime | None
    labels: dict[str, str]
    annotations: dict[str, str]
    generator_url: str
    payload: dict[str, Any]
    # When somebody saw it firing with their own eyes: a pull knows, a webhook (which may come late) does not.
    seen_at: datetime | None = None

    @property
    def is_heartbeat(self) -> bool:
        return self.name == WATCHDOG

    @property
    def key(self) -> tuple[str, datetime]:
        return self.fingerprint, self.starts_at


def read_alert(value: Any, *, now: datetime, seen_at: datetime | None = None) -> Delivered:
    """The alert in ``value``, as Alertmanager's webhook writes it. Raises ``BadField``."""
    if not isinstance(value, Mapping):
        raise BadField("", "An alert must be an object.")
    starts_at = _start(value.get("startsAt"), now)
    ends_at = _end(value.get("status"), value.get("endsAt"), starts_at)
    labels = mask_json(_pairs(value, "labels", longest=MOST_LABEL, required=True))
    annotations = mask_json(_pairs(value, "annotations", longest=MOST_ANNOTATION))
    url = _url(value.get("generatorURL"))
    fingerprint = _fingerprint(value.get("fingerprint"))
    state: Literal["firing", "resolved"] = FIRING if ends_at is None else RESOLVED
    return Delivered(
        fingerprint=fingerprint,
        name=labels.get("alertname", "").strip()[:MOST_ALERT_NAME] or UNNAMED,
        service=service_of(labels),
        state=state,
        starts_at=starts_at,
        ends_at=ends_at,
        labels=labels,
        annotations=annotations,
        generator_url=url,
        payload={
            "status": state,
            "labels": labels,
            "annotations": annotations,
            "startsAt": _as_sent(value["startsAt"]),
            "endsAt": _as_sent(value.get("endsAt")),
            "generatorURL": url,
            "fingerprint": fingerprint,
        },
        seen_at=seen_at,
    )


def _pairs(alert: Mapping[str, Any], field: str, *, longest: int, required: bool = False) -> dict[str, str]:
    found = alert.get(field)
    if found is None and not required:
        return {}
    if not isinstance(found, dict) or (required and not found):
        raise BadField(field, "Must be an object of texts" + (" with at least one label." if required else "."))
    if len(found) > MOST_PAIRS:
        raise BadField(field, f"Must have at most {MOST_PAIRS} entries.")
    for name, text in found.items():
        if not isinstance(text, str):
            raise BadField(field, f"The value of {_quoted(name)} must be a text.")
        if not name or len(name) > MOST_NAME:
            raise BadField(field, f"A name must have 1 to {MOST_NAME} characters.")
    return {name: _cut(text, longest) for name, text in found.items()}


def _as_sent(time: Any) -> str:
    """A time to show; one that nobody reads (the end of what fires) may be anything."""
    return mask_text(_cut(time, MOST_TIME)) if isinstance(time, str) else ""


def _quoted(name: str) -> str:
    return f'"{mask_text(_cut(name, 60))}"'


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _start(text: Any, now: datetime) -> datetime:
    starts_at = _moment("startsAt", text)
    if starts_at is None:
        raise BadField("startsAt", f"Must not be before {EARLIEST_YEAR}.")
    if starts_at > now + MOST_AHEAD:
        raise BadField("startsAt", "Must not be more than a day ahead.")
    return starts_at


def _end(status: Any, text: Any, starts_at: datetime) -> datetime | None:
    """When it ended; None while it fires, which an end in year 1 says, too."""
    if status not in (None, FIRING, RESOLVED):
        raise BadField("status", 'Must be "firing" or "resolved".')
    if status == FIRING or (status is None and not text):
        return None
    ends_at = _moment("endsAt", text)
    return None if ends_at is None else max(ends_at, starts_at)


def _moment(field: str, text: Any) -> datetime | None:
    """The time, or None for one before 1970: Alertmanager writes "no time" as the year 1."""
    if not isinstance(text, str):
        raise BadField(field, "Must be an ISO 8601 time.")
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            raise BadField(field, "Must be a time with its zone.")
        return None if moment.year < EARLIEST_YEAR else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadField(field, "Must be an ISO 8601 time.") from None


def _fingerprint(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise BadField("fingerprint", "Must be a text that is not empty.")
    if len(value) > MOST_FINGERPRINT:
        raise BadField("fingerprint", f"Must have at most {MOST_FINGERPRINT} characters.")
    return mask_text(value)[:MOST_FINGERPRINT]


def _url(value: Any) -> str:
    """A link to follow, or nothing: a cut one leads nowhere, and one of another scheme is not for a page."""
    if value is None or value == "":
        return ""
    if not isinstance(value, str):
        raise BadField("generatorURL", "Must be a text.")
    masked = mask_text(value)
    return masked if masked.startswith(("http://", "https://")) and len(masked) <= MOST_URL else ""
