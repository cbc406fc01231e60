"""Data sources: made, changed, deleted. A changed host, port or scheme takes the secret away: it was meant for another.

An Alertmanager that is enabled has a durable job that pulls from it (``diagnosis.pull``).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from diagnosis.datasources.network import origin_of
from diagnosis.models import DataSource
from diagnosis.pulling import follow_source, stop_pulling


class SourceConflict(Exception):
    """What stands in the way; the text may be shown."""


def create_source(
    *,
    owner_id: int,
    name: str,
    kind: str,
    url: str,
    secret: str = "",
    enabled: bool = True,
    now: datetime | None = None,
) -> DataSource:
    """A new source; ``secret`` is sealed (``datasources.credentials``). Raises ``SourceConflict``, ``SourceFailed``
    for a URL that is never connected to."""
    origin_of(url)
    moment = now or timezone.now()
    with _one_of_its_name(name):
        source = DataSource.objects.create(
            owner_user_id=owner_id,
            name=name,
            kind=kind,
            url=url,
            secret=secret,
            enabled=enabled,
            created_at=moment,
            updated_at=moment,
        )
        follow_source(source)
    return source


def change_source(source_id: str, *, now: datetime | None = None, **values: Any) -> DataSource:
    """Change ``name``, ``url``, ``enabled``, ``secret`` (sealed; "" takes it away).

    Raises ``DataSource.DoesNotExist``, ``SourceConflict``, ``SourceFailed`` as above.
    """
    with _one_of_its_name(values.get("name", "")):
        source = DataSource.objects.select_for_update().get(pk=source_id)
        if "url" in values and values["url"] != source.url:
            _move(source, values["url"])
        for column in ("name", "enabled", "secret"):
            if column in values:
                setattr(source, column, values[column])
        source.updated_at = now or timezone.now()
        source.save()
        follow_source(source)
    return source


def _move(source: DataSource, url: str) -> None:
    if source.kind == DataSource.Kind.RECORDED:
        raise SourceConflict("A recording has no URL.")
    if origin_of(url) != origin_of(source.url):
        source.secret = ""
    source.url = url
    # What was found out is about another place.
    source.checked_at = None
    source.check_result = ""


def delete_source(source_id: str) -> None:
    """Remove a source; a pull from it is cancelled. Diagnoses keep what they found."""
    with transaction.atomic():
        stop_pulling([source_id])
        DataSource.objects.filter(pk=source_id).delete()


@contextmanager
def _one_of_its_name(name: str) -> Iterator[None]:
    try:
        with transaction.atomic():
            yield
    except IntegrityError:
        raise SourceConflict(f'There is a data source named "{name}" already.') from None
