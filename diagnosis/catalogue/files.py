"""The catalogue as a YAML file, which a team keeps beside its code.

services:
  - name: checkout
    selector: {job: checkout}
    presets: [red, process, {name: cadvisor, selector: {namespace: shop, "pod=~": "checkout-.*"}}]
    templates:
      saturation: max_over_time(db_pool_used{$selector}[$range]) / db_pool_size{$selector}
    calls: [payment]
  - {name: payment, kind: external}
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

import yaml
from django.db import transaction
from django.utils import timezone

from diagnosis.catalogue.definition import BadDefinition, check_definition
from diagnosis.catalogue.editing import change_service, create_service
from diagnosis.models import Service

MAX_CHARACTERS: Final = 2_000_000
MAX_SERVICES: Final = 5_000


class BadCatalogue(ValueError):
    """The file cannot be taken; the text says which service and why. Nothing of it was taken."""


def read_catalogue(text: str) -> list[dict[str, Any]]:
    """The definitions in a catalogue file, each checked. Raises ``BadCatalogue``."""
    if len(text) > MAX_CHARACTERS:
        raise BadCatalogue(f"The file is longer than {MAX_CHARACTERS:,} characters.")
    try:
        found = yaml.load(text, Loader=_WithoutAliases)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise BadCatalogue(f"The file is no plain YAML: {error}") from None
    services = found.get("services") if isinstance(found, Mapping) else None
    if not isinstance(services, list) or len(services) > MAX_SERVICES or set(found) != {"services"}:
        raise BadCatalogue(f"The file must have one key, services, with a list of at most {MAX_SERVICES:,}.")
    for number, service in enumerate(services, start=1):
        _check(service, number)
    names = [service["name"] for service in services]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise BadCatalogue(f"There are two services named {twice[0]!r}.")
    return services


def load_catalogue(*, owner_id: int, text: str, now: datetime | None = None) -> tuple[int, int]:
    """Make or change the services of the file: how many are new, how many were there. Others of the owner stay.

    All or nothing; raises ``BadCatalogue``.
    """
    definitions = read_catalogue(text)
    moment = now or timezone.now()
    with transaction.atomic():
        there = dict(Service.objects.filter(owner_user_id=owner_id).values_list("name", "pk"))
        # First the services, then the calls: a callee may stand further down.
        ids = {
            values["name"]: _stored(there.get(values["name"]), owner_id=owner_id, values=values, now=moment)
            for values in definitions
        }
        for values in definitions:
            try:
                change_service(ids[values["name"]], values={"calls": values.get("calls", [])}, now=moment)
            except BadDefinition as bad:
                raise BadCatalogue(f"Service {values['name']!r}: {bad}") from None
    new = sum(name not in there for name in ids)
    return new, len(ids) - new


def _stored(service_id: str | None, *, owner_id: int, values: Mapping[str, Any], now: datetime) -> str:
    """What the file does not say of a service is empty: the file is the whole definition."""
    whole = {"kind": Service.Kind.OWN, "selector": {}, "presets": [], "templates": {}, **values, "calls": []}
    if service_id is None:
        return create_service(owner_id=owner_id, values=whole, now=now).pk
    return change_service(service_id, values=whole, now=now).pk


def _check(service: Any, number: int) -> None:
    if not isinstance(service, Mapping):
        raise BadCatalogue(f"Service {number}: an object with a name is wanted.")
    try:
        check_definition(service)
    except BadDefinition as bad:
        raise BadCatalogue(f"Service {service.get('name', number)!r}: {bad}") from None


class _WithoutAliases(yaml.SafeLoader):
    """A few lines of aliases can stand for gigabytes."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not taken")
        return super().compose_node(parent, index)
