"""What is asked for when a diagnosis is begun: checked field by field, then row by row within the caller's scope."""

from collections.abc import Iterable, Sequence, Set
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Model, QuerySet
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from diagnosis.api.inline_alerts import InlineAlertField, file_inline
from diagnosis.models import Alert, DataSource, Incident
from diagnosis.transitions import LAST_HOUR
from documents.api.serializers import StorableCharField
from documents.models import KnowledgeBase
from oncall.api.errors import Forbidden, invalid
from oncall.api.fields import CamelSerializer
from oncall.api.owned import Row, find_row, scope_of
from oncall.models import User
from oncall.owners import default_owner_id

MOST_QUERY_CHARACTERS: Final = 4_000
MOST_IDS: Final = 100
LONGEST_WINDOW: Final = timedelta(days=7)


@extend_schema_field(OpenApiTypes.STR)
class RowIdField(serializers.Field):
    """Any text: whether there is such a row is not for the shape of an id to say."""

    default_error_messages = {"text": "Must be a text."}

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("text")
        return str(data)

    def to_representation(self, value: Any) -> str:
        return str(value)


class DiagnosisRequestSerializer(CamelSerializer):
    """A question, an alert, or both. ``alertId`` names a stored alert; ``alert`` is one as Alertmanager writes it."""

    query = StorableCharField(max_length=MOST_QUERY_CHARACTERS, allow_blank=True, default="")
    alert_id = RowIdField(required=False)
    alert = InlineAlertField(required=False)
    starts_at = serializers.DateTimeField(required=False)
    ends_at = serializers.DateTimeField(required=False)
    owner_user_id = serializers.IntegerField(required=False)
    knowledge_base_ids = serializers.ListField(child=RowIdField(), max_length=MOST_IDS, required=False)
    data_source_ids = serializers.ListField(child=RowIdField(), max_length=MOST_IDS, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        given = {"alert_id", "alert"} & attrs.keys()
        if len(given) == 2:
            raise serializers.ValidationError({"alert": "Give either alertId or alert."})
        if not given and not attrs["query"].strip():
            raise serializers.ValidationError({"query": "Must not be blank when there is no alert."})
        _check_window(attrs.get("starts_at"), attrs.get("ends_at"), timezone.now())
        return attrs


def _check_window(starts_at: datetime | None, ends_at: datetime | None, now: datetime) -> None:
    if starts_at is not None and starts_at >= now:
        raise serializers.ValidationError({"startsAt": "Must not be in the future."})
    if starts_at is not None and ends_at is not None:
        if ends_at <= starts_at:
            raise serializers.ValidationError({"endsAt": "Must be after startsAt."})
        if ends_at - starts_at > LONGEST_WINDOW:
            raise serializers.ValidationError({"endsAt": f"Must be at most {LONGEST_WINDOW.days} days after startsAt."})


def arguments_for(request: Request, asked: dict[str, Any]) -> dict[str, Any]:
    """The arguments of ``start_diagnosis``; ``Forbidden`` where a row is not the caller's.

    An alert in the body is filed once all else is known to be right.
    """
    visible = scope_of(request)
    alert = _alert(request, asked.get("alert_id"))
    owner_id = _owner(request, asked.get("owner_user_id"), alert)
    bases = _named(KnowledgeBase.objects.filter(owner_user_id__in=visible), asked.get("knowledge_base_ids"))
    sources = _named(DataSource.objects.filter(owner_user_id__in=visible), asked.get("data_source_ids"))
    if "alert" in asked:
        alert = file_inline(asked["alert"], owner_id=owner_id)
    incident = alert.incident if alert is not None else None
    _check_sources(sources or (), incident)
    # What a team's diagnosis finds is shown to its members, so it stays with what is the team's unless somebody names
    # more; one's own looks into all that one may see.
    widely = visible if owner_id == default_owner_id(_user(request)) else frozenset[int]()
    return {
        "owner_id": owner_id,
        "query": asked["query"].strip(),
        "alert": alert,
        "incident": incident,
        **_window(asked, alert, timezone.now()),
        "knowledge_base_ids": _ids(bases) if bases is not None else _all_bases(widely),
        "data_source_ids": _ids(sources) if sources is not None else _all_sources(widely, incident),
    }


def _window(asked: dict[str, Any], alert: Alert | None, now: datetime) -> dict[str, datetime | None]:
    """What was asked for, up to now. An alert whose sender's clock is ahead of ours is about the last hour."""
    starts_at, ends_at = asked.get("starts_at"), asked.get("ends_at")
    if alert is not None and alert.starts_at >= now and starts_at is None:
        starts_at, ends_at = (ends_at or now) - LAST_HOUR, ends_at or now
    return {"starts_at": starts_at, "ends_at": min(ends_at, now) if ends_at else None}


def _user(request: Request) -> User:
    assert isinstance(request.user, User)  # The default permission lets nobody else in.
    return request.user


def _alert(request: Request, alert_id: str | None) -> Alert | None:
    if alert_id is None:
        return None
    owners = scope_of(request, steer=True)
    return find_row(Alert.objects.select_related("incident").filter(owner_user_id__in=owners), alert_id)


def _owner(request: Request, asked: int | None, alert: Alert | None) -> int:
    """Whose diagnosis it becomes: the alert's owner's, the one that was named, or the caller's own."""
    owner_id = asked if asked is not None else alert.owner_user_id if alert else default_owner_id(_user(request))
    if owner_id not in scope_of(request, steer=True):
        raise Forbidden
    if alert is not None and alert.owner_user_id != owner_id:
        raise invalid("ownerUserId", "Must be the owner of the alert.")
    return owner_id


def _named(visible: QuerySet[Row], ids: Sequence[str] | None) -> list[Row] | None:
    """The rows of these ids, each once; ``Forbidden`` when one of them is not to be seen."""
    return None if ids is None else [find_row(visible, pk) for pk in sorted(set(ids))]


def _check_sources(sources: Sequence[DataSource], incident: Incident | None) -> None:
    for source in sources:
        if not source.enabled:
            raise invalid("dataSourceIds", f"{source.pk} is switched off.")
        if source.kind == DataSource.Kind.RECORDED and source.incident_id != (incident.pk if incident else None):
            raise invalid("dataSourceIds", f"{source.pk} is a recording of another incident.")


def _all_bases(owner_ids: Set[int]) -> list[str] | None:
    """None leaves it to ``start_diagnosis``: those of the owner."""
    return _ids(KnowledgeBase.objects.filter(owner_user_id__in=owner_ids)) if owner_ids else None


def _all_sources(owner_ids: Set[int], incident: Incident | None) -> list[str] | None:
    """The same; an incident with a recording of its own is looked for in that alone."""
    if not owner_ids or (incident is not None and incident.recorded_sources.filter(enabled=True).exists()):
        return None
    live = DataSource.objects.filter(owner_user_id__in=owner_ids, enabled=True)
    return _ids(live.exclude(kind=DataSource.Kind.RECORDED))


def _ids(rows: Iterable[Model]) -> list[str]:
    return [row.pk for row in rows]
