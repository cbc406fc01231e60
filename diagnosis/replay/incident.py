"""A recorded incident in memory: what a folder holds and what converters make."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from diagnosis.engine.types import Series, Topology


@dataclass(frozen=True, slots=True)
class Incident:
    """``subject``: what the engine is asked (see ``engine.types.State``). ``truth``: what it really was, for whoever
    measures; ``FolderTools`` does not read it. ``rules``: {"alert", "expr", "for"}; ``runbooks``: title to Markdown."""

    subject: Mapping[str, Any]
    topology: Topology
    series: Sequence[Series]
    changes: Sequence[Mapping[str, Any]] = ()
    alerts: Sequence[Mapping[str, Any]] = ()
    rules: Sequence[Mapping[str, Any]] = ()
    runbooks: Mapping[str, str] = field(default_factory=dict)
    truth: Mapping[str, Any] = field(default_factory=dict)
