"""A queue of 70,000 jobs, made by SQL, and how the database means to find its rows in it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connection

from jobs.sql import stamp
from tests.jobs.steps import NOON

FINISHED, DELAYED, WAITING, RUNNING = 50_000, 10_000, 10_000, 40

# Half the finished jobs belong to a kind that waits, too; the delayed ones are due one second after the other.
_FILL = """
WITH RECURSIVE numbers(n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM numbers WHERE n < {last})
INSERT INTO jobs_job (id, owner_user_id, kind, resource_type, resource_id, status, attempt, max_attempts,
    timeout_seconds, priority, available_at, error_message, progress, progress_message, created_at, updated_at,
    completed_at, payload, lease_owner, lease_expires_at, epoch, event_seq, fair_tag)
SELECT 'job_' || n, NULL, {kind}, 'film', CAST(n AS text), {status}, {attempt}, 3,
    900, 0, {available_at}, '', 0, '', {noon}, {noon},
    {completed_at}, '{{}}', {lease_owner}, {lease_expires_at}, {attempt}, 0, {fair_tag}
FROM numbers
"""
_DEFAULTS = {
    "kind": "'film'",
    "attempt": "0",
    "completed_at": "NULL",
    "lease_owner": "NULL",
    "lease_expires_at": "NULL",
    "fair_tag": "NULL",
}


def fill() -> None:
    """50,000 finished, 10,000 delayed, 10,000 ready of other kinds, 40 running."""
    noon, each_second = _times()
    finished = {"kind": "CASE n % 2 WHEN 0 THEN 'thumbnail' ELSE 'film' END", "completed_at": each_second}
    running = {"attempt": "1", "lease_owner": "'worker_' || (n % 4)", "lease_expires_at": each_second}
    groups: list[tuple[int, dict[str, str]]] = [
        (FINISHED, {"status": "'succeeded'", **finished}),
        (DELAYED, {"status": "'queued'", "available_at": each_second}),
        (WAITING, {"status": "'queued'", "fair_tag": "0", "kind": "'film_' || (n % 20)"}),
        (RUNNING, {"status": "'running'", **running}),
    ]
    first = 1
    with connection.cursor() as cursor:
        for count, columns in groups:
            values = {**_DEFAULTS, "noon": noon, "available_at": noon, **columns}
            cursor.execute(_FILL.format(first=first, last=first + count - 1, **values))
            first += count


def _times() -> tuple[str, str]:
    """SQL for noon, and for n seconds after it."""
    if _on_postgres():
        noon = f"CAST('{stamp(NOON)}' AS timestamp with time zone)"
        return noon, f"{noon} + n * interval '1 second'"
    return f"'{stamp(NOON)}'", f"strftime('%Y-%m-%d %H:%M:%f', '{stamp(NOON)}', n || ' seconds')"


def analyze() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE jobs_job")


def _on_postgres() -> bool:
    return connection.vendor == "postgresql"


class Plans:
    """The plan of each statement over jobs that ran inside ``explained()``, with the parameters that it had."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self._explaining = False

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Mapping[str, Any]) -> Any:
        if "jobs_job" in sql and not many and not self._explaining and "INSERT" not in sql:
            self._explain(sql, params)
        return execute(sql, params, many, context)

    def _explain(self, sql: str, params: Sequence[Any]) -> None:
        self._explaining = True
        try:
            with connection.cursor() as cursor:
                cursor.execute(("EXPLAIN " if _on_postgres() else "EXPLAIN QUERY PLAN ") + sql, params)
                self.steps += [str(row[-1]).strip() for row in cursor.fetchall()]
        finally:
            self._explaining = False

    @property
    def text(self) -> str:
        return "\n".join(self.steps)

    def scans(self) -> list[str]:
        """Steps that read the whole table of jobs."""
        if _on_postgres():
            return [step for step in self.steps if "Seq Scan on jobs_job" in step]
        return [step for step in self.steps if step.startswith("SCAN jobs_job") and "INDEX" not in step]

    def sorts(self) -> list[str]:
        """Steps that sort rows, which a fitting index spares."""
        sorting = ("Sort", "->  Sort") if _on_postgres() else ("USE TEMP B-TREE",)
        return [step for step in self.steps if step.startswith(sorting)]


@contextmanager
def explained() -> Iterator[Plans]:
    plans = Plans()
    with connection.execute_wrapper(plans):
        yield plans
