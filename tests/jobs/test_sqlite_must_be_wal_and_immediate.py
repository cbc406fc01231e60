"""A database set up so that two claimers could collide is refused at the start, and the text says what to set."""

from pathlib import Path

import pytest
from django.db import connection

from jobs.checks import check_sqlite_options

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="about SQLite"),
]


def found() -> set[str | None]:
    return {message.id for message in check_sqlite_options()}


def test_as_we_set_it_up_nothing_is_found() -> None:
    assert found() == set()


def test_deferred_transactions_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "transaction_mode", "DEFERRED")
    assert found() == {"jobs.E001"}


def test_another_journal_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = connection.copy()  # A database of its own: the tests' journal cannot change while anybody has it open.
    other.settings_dict["NAME"] = str(tmp_path / "other.sqlite3")
    other.settings_dict["OPTIONS"]["init_command"] = "PRAGMA journal_mode=DELETE"
    monkeypatch.setattr("jobs.checks.connections", {"default": other})
    assert found() == {"jobs.E002"}
    other.close()


def test_an_old_sqlite_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sqlite3.sqlite_version_info", (3, 34, 9))
    assert found() == {"jobs.E003"}
