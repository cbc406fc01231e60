"""A second connection to the test's database, which does what another process might do at a bad moment."""

from datetime import timedelta
from typing import Any

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils import timezone


class Intruder:
    """SQLite: ``hold`` takes the one write lock. PostgreSQL: it locks every job row and keeps new ones out."""

    def __init__(self) -> None:
        self._connection: BaseDatabaseWrapper = connection.copy()
        self._connection.inc_thread_sharing()

    def hold(self) -> None:
        self._run("BEGIN IMMEDIATE" if self._sqlite else "BEGIN")
        if not self._sqlite:
            self._run("LOCK TABLE jobs_job IN EXCLUSIVE MODE")

    def let_go(self) -> None:
        self._run("ROLLBACK")

    def take_over(self, job_id: str, *, worker: str = "worker_of_another") -> None:
        """The job's lease is another worker's, by a claim of its own."""
        self._run(
            "UPDATE jobs_job SET lease_owner = %s, epoch = epoch + 1, attempt = attempt + 1 WHERE id = %s",
            [worker, job_id],
        )

    def expire(self, job_id: str) -> None:
        """The job's lease ended a minute ago."""
        past = self._connection.ops.adapt_datetimefield_value(timezone.now() - timedelta(minutes=1))
        self._run("UPDATE jobs_job SET lease_expires_at = %s WHERE id = %s", [past, job_id])

    def request_cancel(self, job_id: str) -> None:
        now = self._connection.ops.adapt_datetimefield_value(timezone.now())
        self._run("UPDATE jobs_job SET cancel_requested_at = %s WHERE id = %s AND status = 'running'", [now, job_id])

    def make_ready(self, job_id: str) -> None:
        """A delayed job is ready now, as if it had been enqueued elsewhere."""
        self._run("UPDATE jobs_job SET fair_tag = 0 WHERE id = %s", [job_id])

    def close(self) -> None:
        self._connection.close()

    @property
    def _sqlite(self) -> bool:
        return self._connection.vendor == "sqlite"

    def _run(self, statement: str, parameters: Any = None) -> None:
        with self._connection.cursor() as cursor:
            cursor.execute(statement, parameters)
