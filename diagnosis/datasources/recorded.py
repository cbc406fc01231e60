"""A recorded incident as a source: the files of its folder, kept as text in the row, answer as in a replay."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from diagnosis.datasources.protocol import BAD_ANSWER, MAX_SERIES, FoundSeries, Queried, SourceFailed
from diagnosis.engine.types import Window
from diagnosis.replay.errors import BadIncident
from diagnosis.replay.folder import INCIDENT, incident_from
from diagnosis.replay.incident import Incident
from diagnosis.replay.tools import FolderTools


class Recorded:
    """A ``MetricSource`` over the files of an incident folder, by name. Raises ``SourceFailed`` if they make no sense.

    A service is known by its name alone; series keep the grid on which they were recorded.
    """

    def __init__(self, recording: Mapping[str, str]) -> None:
        try:
            self._tools = FolderTools(_read(tuple(sorted(recording.items()))))
        except BadIncident as bad:
            raise SourceFailed(BAD_ANSWER, f"The recording cannot be read ({bad.file}).") from None

    def families(self, service: Queried) -> list[str]:
        return list(self._tools.families(service.name))

    def range(
        self, service: Queried, family: str, window: Window, step: float, *, deadline: float | None = None
    ) -> FoundSeries:
        return _found(self._tools.metric(service.name, family, window, step).rows)

    def expression(self, expr: str, window: Window, step: float, *, deadline: float | None = None) -> FoundSeries:
        """Nothing is evaluated: only what was recorded under this very expression answers."""
        return _found(self._tools.expression(expr, window, step).rows)

    def rule(self, alert_name: str, *, deadline: float | None = None) -> dict[str, Any] | None:
        for rule in self._tools.rule(alert_name).rows:
            return {"expr": rule["expr"], "for": rule["for"]}
        return None


def _found(rows: Any) -> FoundSeries:
    return FoundSeries(rows[:MAX_SERIES], truncated=len(rows) > MAX_SERIES)


@lru_cache(maxsize=4)
def _read(files: tuple[tuple[str, str], ...]) -> Incident:
    """Kept, because a source is opened for each question of a diagnosis."""
    known = dict(files)
    if INCIDENT not in known:
        raise BadIncident(INCIDENT, "This file is missing.")
    return incident_from(known)
