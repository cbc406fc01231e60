"""System checks: a database set up in a way in which the claim would not hold is refused."""

import sqlite3
from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Error, Tags, register
from django.db import DatabaseError, connections

OLDEST_SQLITE = (3, 35, 0)


@register("jobs", Tags.database)
def check_sqlite_options(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """SQLite needs WAL, or readers block the claim, and IMMEDIATE, or a claim fails at once instead of waiting."""
    connection = connections["default"]
    if connection.vendor != "sqlite":
        return []
    found: list[CheckMessage] = []
    if connection.settings_dict["OPTIONS"].get("transaction_mode") != "IMMEDIATE":
        hint = 'Set OPTIONS["transaction_mode"] = "IMMEDIATE" in DATABASES["default"].'
        found.append(Error("SQLite must begin transactions IMMEDIATE.", hint=hint, id="jobs.E001"))
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        found.append(Error("SQLite must be 3.35 or newer.", hint="UPDATE … RETURNING is needed.", id="jobs.E003"))
    try:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA journal_mode")
            (mode,) = cursor.fetchone()
    except DatabaseError as error:
        hint = "WAL needs to write to the file and to its folder."
        return [*found, Error(f"The database cannot be opened: {error}.", hint=hint, id="jobs.E004")]
    if mode != "wal":
        hint = 'Put "PRAGMA journal_mode=WAL" into OPTIONS["init_command"]; the folder must be on a local disk.'
        found.append(Error(f"SQLite must use WAL, not {mode}.", hint=hint, id="jobs.E002"))
    return found
