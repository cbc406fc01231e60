"""``:check``: does a source answer, and which metric families of a service have data in which source.

The answer is a class of failure and a sentence of ours, never what the source said.
"""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.utils import timezone

from diagnosis.datasources.opening import alertmanager_for, endpoint_of, source_for
from diagnosis.datasources.prometheus import Prometheus
from diagnosis.datasources.protocol import CALL_SECONDS, FAILURES, MetricSource, SourceFailed
from diagnosis.engine.types import Window
from diagnosis.models import DataSource, Service

OK: Final = "ok"
NO_DATA: Final = "no_data"
CLOCK_DIFFERS: Final = "clock_differs"
SOURCE_RESULTS: Final = (OK, CLOCK_DIFFERS, *FAILURES)
FAMILY_RESULTS: Final = (OK, NO_DATA, *FAILURES)
# Seconds: what is looked at, how dense, and how far two clocks may be apart.
LOOK_BACK: Final = 900.0
STEP: Final = 60.0
CLOCK_TOLERANCE: Final = 60.0
AT_ONCE: Final = 8
MOST_QUESTIONS: Final = 200


@dataclass(frozen=True, slots=True)
class SourceCheck:
    """``result`` is ``ok``, ``clock_differs`` or a class of failure."""

    result: str
    detail: str


@dataclass(frozen=True, slots=True)
class FamilyCheck:
    """``result`` is ``ok``, ``no_data`` or a class of failure."""

    data_source_id: str
    family: str
    result: str
    series: int
    detail: str


def check_source(row: DataSource, *, now: datetime | None = None) -> SourceCheck:
    """Ask the source the least that proves it is one, and keep the result in its row."""
    moment = now or timezone.now()
    try:
        found = _asked(row, moment)
    except SourceFailed as failed:
        found = SourceCheck(failed.code, failed.sentence)
    remember(row, found.result, now=moment)
    return found


def remember(row: DataSource, result: str, *, now: datetime) -> None:
    DataSource.objects.filter(pk=row.pk).update(checked_at=now, check_result=result)


def _asked(row: DataSource, now: datetime) -> SourceCheck:
    deadline = time.monotonic() + CALL_SECONDS
    if row.kind == DataSource.Kind.ALERTMANAGER:
        count = len(alertmanager_for(row).alerts(deadline=deadline))
        return SourceCheck(OK, f"It answers; {count} alerts are active.")
    if row.kind == DataSource.Kind.RECORDED:
        source_for(row)
        return SourceCheck(OK, "The recording can be read.")
    apart = Prometheus(endpoint_of(row)).clock(deadline=deadline) - now.timestamp()
    if abs(apart) > CLOCK_TOLERANCE:
        return SourceCheck(CLOCK_DIFFERS, f"It answers, but its clock is {apart:+.0f} seconds from ours.")
    return SourceCheck(OK, "It answers.")


def check_service(
    service: Service, rows: Sequence[DataSource], *, now: datetime | None = None, seconds: float = CALL_SECONDS
) -> list[FamilyCheck]:
    """Every family of the service in every source, a few at once, all before one deadline; at most 200 questions."""
    end = (now or timezone.now()).timestamp()
    window = Window(end - LOOK_BACK, end)
    deadline = time.monotonic() + seconds
    questions: list[tuple[DataSource, MetricSource | SourceFailed, str]] = []
    for row in rows:
        source = _opened(row)
        families = ["*"] if isinstance(source, SourceFailed) else source.families(service)
        questions += [(row, source, family) for family in families]
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="check") as pool:
        return list(
            pool.map(
                lambda question: _check_family(service, *question, window=window, deadline=deadline),
                questions[:MOST_QUESTIONS],
            )
        )


def _opened(row: DataSource) -> MetricSource | SourceFailed:
    try:
        return source_for(row)
    except SourceFailed as failed:
        return failed


def _check_family(
    service: Service,
    row: DataSource,
    source: MetricSource | SourceFailed,
    family: str,
    *,
    window: Window,
    deadline: float,
) -> FamilyCheck:
    """Reads no database: it runs in a thread of its own."""
    try:
        if isinstance(source, SourceFailed):
            raise source
        found = source.range(service, family, window, STEP, deadline=deadline)
    except SourceFailed as failed:
        return FamilyCheck(row.pk, family, failed.code, 0, failed.sentence)
    if not found:
        return FamilyCheck(row.pk, family, NO_DATA, 0, "The source knows no such series of the last 15 minutes.")
    return FamilyCheck(row.pk, family, OK, len(found), " ".join(found.notes))
