"""What a data source answers, and how it fails: with a class and a sentence of ours, never with a body of its own."""

import time
from collections.abc import Iterable, Mapping
from typing import Any, Final, Protocol

from diagnosis.engine.types import Series, Window

# The classes of failure.
UNREACHABLE: Final = "unreachable"
TIMEOUT: Final = "timeout"
REFUSED_ADDRESS: Final = "refused_address"
BAD_ANSWER: Final = "bad_answer"
BAD_QUERY: Final = "bad_query"
UNAUTHORISED: Final = "unauthorised"
TOO_MUCH: Final = "too_much"
FAILURES: Final = (UNREACHABLE, TIMEOUT, REFUSED_ADDRESS, BAD_ANSWER, BAD_QUERY, UNAUTHORISED, TOO_MUCH)

# The limits of one call.
CALL_SECONDS: Final = 20.0
MAX_BYTES: Final = 5_000_000
MAX_SERIES: Final = 2_000
MAX_POINTS: Final = 11_000


class SourceFailed(Exception):
    """``code`` is one of ``FAILURES``; ``sentence`` may be shown to anybody who may see the source."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(f"{code}: {sentence}")
        self.code = code
        self.sentence = sentence


class FoundSeries(list[Series]):
    """The series of one call. ``notes`` say in what the answer is less than was asked for; ``bytes`` were read."""

    def __init__(
        self, series: Iterable[Series] = (), *, notes: Iterable[str] = (), truncated: bool = False, bytes: int = 0
    ) -> None:
        super().__init__(series)
        self.notes = tuple(dict.fromkeys(notes))
        self.truncated = truncated
        self.bytes = bytes

    @classmethod
    def joined(cls, parts: Iterable["FoundSeries"]) -> "FoundSeries":
        """All of them as one answer, at most ``MAX_SERIES``."""
        found = list(parts)
        series = [one for part in found for one in part]
        return cls(
            series[:MAX_SERIES],
            notes=[note for part in found for note in part.notes],
            truncated=len(series) > MAX_SERIES or any(part.truncated for part in found),
            bytes=sum(part.bytes for part in found),
        )


class Queried(Protocol):
    """What a source must know of a service; ``diagnosis.models.Service`` is one."""

    @property
    def name(self) -> str: ...
    @property
    def selector(self) -> Mapping[str, str]: ...
    @property
    def presets(self) -> list[Any]: ...
    @property
    def templates(self) -> Mapping[str, str]: ...


class MetricSource(Protocol):
    """Where metrics come from. Every call ends within ``CALL_SECONDS``, and before ``deadline`` (``time.monotonic()``)
    where one is given; it raises ``SourceFailed``. Series lie on the grid ``window.start + i * step``, those of a
    recording on their own."""

    def families(self, service: Queried) -> list[str]:
        """The metric families that this source can be asked for."""

    def range(
        self, service: Queried, family: str, window: Window, step: float, *, deadline: float | None = None
    ) -> FoundSeries:
        """The series of one family of one service; none where there is no data."""

    def expression(self, expr: str, window: Window, step: float, *, deadline: float | None = None) -> FoundSeries:
        """The series of a PromQL expression as it stands: node "", family "expression"."""

    def rule(self, alert_name: str, *, deadline: float | None = None) -> dict[str, Any] | None:
        """``{"expr": PromQL, "for": seconds}`` of the alert's rule; None where it has none."""


def call_deadline(deadline: float | None) -> float:
    """When a call that begins now must have ended."""
    ends = time.monotonic() + CALL_SECONDS
    return ends if deadline is None else min(ends, deadline)
