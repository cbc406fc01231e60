"""The alerts that a runbook says it is for: ``alerts: [KubePodCrashLooping, …]`` in its front matter."""

from collections.abc import Mapping
from typing import Any


def alert_names(metadata: Mapping[str, Any]) -> list[str]:
    """The names under ``alerts`` or ``alert``; none where there are none or they make no sense."""
    given = metadata.get("alerts") or metadata.get("alert") or []
    names = [given] if isinstance(given, str) else given
    return [name for name in names if isinstance(name, str) and name] if isinstance(names, list) else []
