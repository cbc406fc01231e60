"""``runworkers`` exits 1 with a sentence about what is wrong, before it touches a job."""

from pathlib import Path

import pytest

from tests.e2e.worker_process import Home

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--concurrency", "0"], "concurrency must be at least 1, not 0."),
        (["--lease-seconds", "5"], "lease_seconds must be at least 6, not 5."),
        (["--drain-seconds", "-1"], "drain_seconds must not be negative"),
        (["--kinds", "quick,nobody-knows"], "No handler is registered for job kind nobody-knows; known kinds:"),
        (["--kinds", ","], "--kinds names no kind."),
        (["--kinds", ""], "--kinds names no kind."),
    ],
)
def test_bad_arguments(migrated: Home, arguments: list[str], text: str) -> None:
    done = migrated.run("runworkers", *arguments)
    assert done.returncode == 1
    assert text in done.stderr
    assert "Traceback" not in done.stderr


def test_a_database_that_is_not_migrated(tmp_path: Path) -> None:
    done = Home(tmp_path).run("runworkers", "--burst")
    assert done.returncode == 1
    assert "The database is not migrated" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "oncall.sqlite3").write_text("no database " * 100)
    done = Home(tmp_path).run("runworkers", "--burst")
    assert done.returncode == 1
    assert "The database cannot be opened: file is not a database." in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("DATABASE_URL", "nonsense", "DATABASE_URL: must start with sqlite:/// or postgres://."),
        ("ONCALL_PORT", "x", "ONCALL_PORT: cannot be read"),
        ("ONCALL_HOME", "/dev/null", "ONCALL_HOME: secret.key cannot be kept in /dev/null"),
    ],
)
def test_a_bad_setting(tmp_path: Path, name: str, value: str, text: str) -> None:
    done = Home(tmp_path).run("runworkers", "--burst", **{name: value})
    assert done.returncode == 1
    assert text in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("tests.e2e.without_wal", "SQLite must use WAL, not delete."),
        ("tests.e2e.without_immediate", "SQLite must begin transactions IMMEDIATE."),
    ],
)
def test_a_sqlite_on_which_claims_would_not_hold(home: Home, module: str, text: str) -> None:
    done = home.run("runworkers", "--burst", DJANGO_SETTINGS_MODULE=module)
    assert done.returncode == 1
    assert text in done.stderr
    assert "Traceback" not in done.stderr
