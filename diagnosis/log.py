"""The events of a diagnosis, each said once: a second attempt does not repeat what the first one said."""

from collections.abc import Mapping
from typing import Any

from jobs.events import read
from jobs.handlers import JobContext

# What makes two events of a type the same; all other types come once per stage, inside its checkpoint.
_KEYS = {
    "stage.started": "stage",
    "stage.finished": "stage",
    "tool.requested": "call",
    "tool.finished": "call",
}


class DiagnosisLog:
    def __init__(self, context: JobContext) -> None:
        self._context = context
        said = read(context.job.id).filter(type__in=list(_KEYS)).values_list("type", "payload")
        self._said = {(type_, payload.get(_KEYS[type_])) for type_, payload in said}

    def say(self, type: str, payload: Mapping[str, Any]) -> None:
        """Append an event, unless an earlier attempt has said it."""
        key = (type, payload.get(_KEYS[type])) if type in _KEYS else None
        if key is None or key not in self._said:
            self._context.append_event(type, dict(payload))
        if key is not None:
            self._said.add(key)
