"""Changes and restarts: reported, or inferred from start times, restart counters and build information."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from diagnosis.engine.limits import MAX_ROWS_SAID
from diagnosis.engine.times import clock
from diagnosis.engine.types import Answer, Finding, Series, Window

# A value this large counts seconds since the epoch: a start time, not a number of restarts.
_A_START_TIME = 1e9
# A reported and an inferred change of one service this close are the same change.
SAME_CHANGE_SECONDS = 600.0


def change_finding(change: Mapping[str, Any], *, call: int | None = None) -> Finding:
    """``change``: {"service", "kind", "at": seconds, "version", "url", "inferred"}."""
    how = "was seen to change" if change["inferred"] else "was reported changed"
    version = f" to version {change['version']}" if change["version"] else ""
    summary = (
        f"{change['service'] or 'Something'} {how} ({change['kind'] or 'change'}{version}) at {clock(change['at'])}."
    )
    key = f"change:{change['service']}:{change['at']:.0f}:{change['kind']}:{change['version']}"[:300]
    window = Window(change["at"], change["at"])
    return Finding(key, "change", summary, node=change["service"], call=call, window=window)


def restart_times(series: Series) -> list[float]:
    """When something started anew: a start time that moved, or a counter that rose. A counter that fell was reset,
    which happens when its process is new; a gap says nothing."""
    there = np.isfinite(series.values)
    values, times = series.values[there], series.times[there]
    if len(values) < 2:
        return []
    moved = np.diff(values)
    tolerance = 2.0 if values.max() >= _A_START_TIME else 0.5
    return [float(at) for at in times[1:][np.abs(moved) > tolerance]]


def restarts_in(node: str, answer: Answer, within: Window) -> list[Finding]:
    """A finding for every time in ``within`` at which the node started anew, at most 20."""
    times = sorted({at for row in answer.rows for at in restart_times(row) if within.start <= at <= within.end})
    return [
        Finding(
            f"restart:{node}:{at:.0f}",
            "restart",
            f"{node} restarted at {clock(at)}.",
            node=node,
            call=answer.call,
            window=Window(at, at),
        )
        for at in times[:MAX_ROWS_SAID]
    ]


def inferred_versions(node: str, rows: Sequence[Series], within: Window) -> list[dict[str, Any]]:
    """Changes of the build information: a version that appears in ``within`` after another one was there."""
    seen = sorted((at, row.name) for row in rows if (at := _first_seen(row)) is not None)
    return [
        {"service": node, "kind": "deploy", "at": at, "version": name, "url": "", "inferred": True}
        for at, name in seen[1:]
        if within.start <= at <= within.end and at > seen[0][0] and name != seen[0][1]
    ]


def _first_seen(row: Series) -> float | None:
    there = np.flatnonzero(np.nan_to_num(row.values, nan=0.0) > 0)
    return float(row.times[there[0]]) if len(there) else None


def merged(reported: Sequence[Mapping[str, Any]], inferred: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """All changes by time; an inferred one that somebody reported within ten minutes is left out."""
    new = [change for change in inferred if not any(_same(change, other) for other in reported)]
    return sorted(
        (dict(change) for change in (*reported, *new)), key=lambda c: (c["at"], c["service"], c["kind"], c["version"])
    )


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return one["service"] == other["service"] and abs(one["at"] - other["at"]) <= SAME_CHANGE_SECONDS
