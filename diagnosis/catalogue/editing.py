"""Services of the catalogue: made, changed, deleted, with the calls between them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from diagnosis.catalogue.definition import BadDefinition, Definition, check_definition
from diagnosis.models import Service, ServiceEdge


class ServiceConflict(Exception):
    """The owner has a service of that name already."""


def definition_of(service: Service) -> Definition:
    return Definition(
        name=service.name,
        kind=service.kind,
        selector=service.selector,
        presets=service.presets,
        templates=service.templates,
        calls=sorted(service.calls.values_list("callee__name", flat=True)),
    )


def create_service(*, owner_id: int, values: Mapping[str, Any], now: datetime | None = None) -> Service:
    """A new service. Raises ``BadDefinition``, ``ServiceConflict``."""
    check_definition(values)
    columns, calls = _apart(values)
    moment = now or timezone.now()
    with _one_of_its_name(values["name"]):
        service = Service.objects.create(owner_user_id=owner_id, created_at=moment, updated_at=moment, **columns)
        set_calls(service, calls or [])
    return service


def change_service(service_id: str, *, values: Mapping[str, Any], now: datetime | None = None) -> Service:
    """Change the fields given. Raises ``Service.DoesNotExist``, ``BadDefinition``, ``ServiceConflict``."""
    with _one_of_its_name(values.get("name", "")):
        service = Service.objects.select_for_update().get(pk=service_id)
        check_definition({**definition_of(service), **values})
        columns, calls = _apart(values)
        for column, value in columns.items():
            setattr(service, column, value)
        service.updated_at = now or timezone.now()
        service.save()
        if calls is not None:
            set_calls(service, calls)
    return service


def delete_service(service_id: str) -> None:
    """Remove a service and its calls; diagnoses keep what they found."""
    Service.objects.filter(pk=service_id).delete()


def set_calls(service: Service, names: Sequence[str]) -> None:
    """Make these services of the same owner the callees. Raises ``BadDefinition`` for one that is not there."""
    callees = dict(
        Service.objects.filter(owner_user_id=service.owner_user_id, name__in=names).values_list("name", "pk")
    )
    if missing := sorted(set(names) - set(callees)):
        raise BadDefinition("calls", f"There is no service named {missing[0]!r} in this catalogue.")
    service.calls.exclude(callee_id__in=callees.values()).delete()
    edges = [ServiceEdge(caller=service, callee_id=callee) for callee in callees.values()]
    ServiceEdge.objects.bulk_create(edges, ignore_conflicts=True)


def _apart(values: Mapping[str, Any]) -> tuple[dict[str, Any], list[str] | None]:
    return {key: value for key, value in values.items() if key != "calls"}, values.get("calls")


@contextmanager
def _one_of_its_name(name: str) -> Iterator[None]:
    """A transaction in which a second service of the same name and owner is a ``ServiceConflict``."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError:
        raise ServiceConflict(f'There is a service named "{name}" already.') from None
