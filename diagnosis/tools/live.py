"""``Tools`` over what the owner has: data sources, the catalogue, alerts, changes, and the knowledge bases chosen."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from django.db.models import Q

from diagnosis.datasources.opening import source_for
from diagnosis.datasources.protocol import FoundSeries, MetricSource, Queried, SourceFailed
from diagnosis.engine.types import Answer, Topology, Window
from diagnosis.models import Alert, Change, DataSource, Diagnosis, Service, ServiceEdge
from diagnosis.replay.errors import BadIncident
from diagnosis.replay.folder import incident_from
from diagnosis.replay.tools import FolderTools
from diagnosis.tools.calls import Calls, Rows
from documents.models import KnowledgeBase
from documents.passages import passage_around
from documents.scope import scope_for
from documents.search import MAX_QUERY_CHARACTERS, Hit, search

MOST_ROWS = 500
PASSAGE_CHARACTERS = 4_000


@dataclass(frozen=True, slots=True)
class _Unlisted:
    """A service that the catalogue does not have: a recording may know it by its name."""

    name: str
    selector: dict[str, str] = field(default_factory=dict)
    presets: list[Any] = field(default_factory=list)
    templates: dict[str, str] = field(default_factory=dict)


class LiveTools:
    def __init__(self, diagnosis: Diagnosis, calls: Calls) -> None:
        self._diagnosis = diagnosis
        self._calls = calls
        rows = DataSource.objects.filter(pk__in=diagnosis.data_source_ids, enabled=True).order_by("pk")
        self._rows = [row for row in rows if row.kind in (DataSource.Kind.PROMETHEUS, DataSource.Kind.RECORDED)]
        self._recordings = list(_recordings(self._rows))
        self._services = {row.name: row for row in Service.objects.filter(owner_user_id=diagnosis.owner_user_id)}

    # --- What is known without asking ---------------------------------------------------------------------------------

    def topology(self) -> Topology:
        """The catalogue of the owner, or what a recording says of its own services."""
        if self._recordings:
            return self._recordings[0].topology()
        edges = ServiceEdge.objects.filter(caller__owner_user_id=self._diagnosis.owner_user_id)
        kinds: Any = {name: service.kind for name, service in sorted(self._services.items())}
        return Topology(kinds, sorted(edges.values_list("caller__name", "callee__name")))

    def families(self, node: str) -> Sequence[str]:
        found: set[str] = set()
        for _, source in self._sources():
            found.update(source.families(self._service(node)))
        return sorted(found)

    # --- Questions ----------------------------------------------------------------------------------------------------

    def metric(self, node: str, family: str, window: Window, step: float) -> Answer:
        service = self._service(node)

        def ask(source: MetricSource) -> FoundSeries:
            return source.range(service, family, window, step, deadline=self._calls.deadline)

        asked = {"node": node, "family": family, "start": window.start, "end": window.end, "step": step}
        return self._calls.ask("metric", asked, lambda: self._from_all(ask))

    def expression(self, expr: str, window: Window, step: float) -> Answer:
        def ask(source: MetricSource) -> FoundSeries:
            return source.expression(expr, window, step, deadline=self._calls.deadline)

        asked = {"expr": expr, "start": window.start, "end": window.end, "step": step}
        return self._calls.ask("expression", asked, lambda: self._from_all(ask))

    def rule(self, alert_name: str) -> Answer:
        return self._calls.ask("rule", {"alert": alert_name}, lambda: self._rules(alert_name))

    def alerts(self, window: Window) -> Answer:
        return self._calls.ask("alerts", _asked(window), lambda: self._alerts(window))

    def changes(self, window: Window) -> Answer:
        return self._calls.ask("changes", _asked(window), lambda: self._changes(window))

    def runbooks(self, query: str, limit: int) -> Answer:
        return self._calls.ask("runbooks", {"query": query, "limit": limit}, lambda: self._runbooks(query, limit))

    # --- Where the answers come from ----------------------------------------------------------------------------------

    def _service(self, node: str) -> Queried:
        return self._services.get(node) or _Unlisted(node)

    def _sources(self) -> list[tuple[str, MetricSource]]:
        """Those that can be opened; one that cannot says so when it is asked for something."""
        opened = []
        for row in self._rows:
            try:
                opened.append((row.name, source_for(row)))
            except SourceFailed:
                continue
        return opened

    def _from_all(self, ask: Any) -> Rows:
        """The series of all sources together. Raises ``SourceFailed`` when one failed and none had anything."""
        parts, failures = [], []
        for row in self._rows:
            try:
                parts.append(ask(source_for(row)))
            except SourceFailed as failed:
                failures.append(SourceFailed(failed.code, f"{row.name}: {failed.sentence}"))
        found = FoundSeries.joined(parts)
        if failures and not found:
            raise failures[0]
        return list(found), found.truncated or bool(failures) or bool(found.notes)

    def _rules(self, alert_name: str) -> Rows:
        rows, failures = [], []
        for row in self._rows:
            try:
                rule = source_for(row).rule(alert_name, deadline=self._calls.deadline)
            except SourceFailed as failed:
                failures.append(SourceFailed(failed.code, f"{row.name}: {failed.sentence}"))
                continue
            if rule is not None:
                rows.append({**rule, "source": row.name})
        if failures and not rows:
            raise failures[0]
        return rows, bool(failures)

    def _alerts(self, window: Window) -> Rows:
        start, end = _moment(window.start), _moment(window.end)
        mine = Alert.objects.filter(owner_user_id=self._diagnosis.owner_user_id, starts_at__lte=end)
        overlapping = mine.filter(Q(ends_at=None) | Q(ends_at__gte=start)).order_by("starts_at", "pk")
        rows = list(overlapping[: MOST_ROWS + 1])
        return [_alert(row) for row in rows[:MOST_ROWS]], len(rows) > MOST_ROWS

    def _changes(self, window: Window) -> Rows:
        start, end = _moment(window.start), _moment(window.end)
        if self._recordings:
            return [row for recording in self._recordings for row in recording.changes(window).rows], False
        mine = Change.objects.filter(owner_user_id=self._diagnosis.owner_user_id, at__gte=start, at__lte=end)
        rows = list(mine.order_by("at", "pk")[: MOST_ROWS + 1])
        return [_change(row) for row in rows[:MOST_ROWS]], len(rows) > MOST_ROWS

    def _runbooks(self, query: str, limit: int) -> Rows:
        bases = KnowledgeBase.objects.filter(pk__in=self._diagnosis.knowledge_base_ids)
        owners = set(bases.values_list("owner_user_id", flat=True))
        scope = scope_for(owners, knowledge_base_ids=self._diagnosis.knowledge_base_ids)
        text = query[:MAX_QUERY_CHARACTERS].strip()
        hits = search(scope, text, limit=limit, one_per_document=True) if text else []
        return [_runbook(hit) for hit in hits], False


def _recordings(rows: Sequence[DataSource]) -> Iterator[FolderTools]:
    """What the recorded sources hold beside metrics; one that cannot be read says so when it is asked for metrics."""
    for row in rows:
        if row.kind == DataSource.Kind.RECORDED:
            with suppress(BadIncident, KeyError):
                yield FolderTools(incident_from(row.recording))


def _asked(window: Window) -> dict[str, float]:
    return {"start": window.start, "end": window.end}


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, tz=UTC)


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat().replace("+00:00", "Z")


def _alert(row: Alert) -> dict[str, Any]:
    return {
        "id": row.pk,
        "name": row.name,
        "service": row.service,
        "state": row.state,
        "startsAt": _iso(row.starts_at),
        "endsAt": _iso(row.ends_at),
        "labels": row.labels,
    }


def _change(row: Change) -> dict[str, Any]:
    return {"service": row.service, "kind": row.kind, "at": _iso(row.at), "version": row.version, "url": row.url}


def _runbook(hit: Hit) -> dict[str, Any]:
    passage = passage_around(hit.chunk, characters=PASSAGE_CHARACTERS)
    return {
        "documentId": hit.chunk.document_id,
        "title": hit.chunk.document.title,
        "headingPath": hit.chunk.heading_path,
        "text": passage.text,
        "score": hit.score,
        "lines": [passage.line_start, passage.line_end],
    }
