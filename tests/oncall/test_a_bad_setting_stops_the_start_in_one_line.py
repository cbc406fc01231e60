"""A setting that cannot be used: one line that names it, exit code 1, no traceback, whatever the command."""

import os
from pathlib import Path

import pytest

from tests.oncall.server import manage

pytestmark = pytest.mark.e2e

BAD = [
    ("ONCALL_HOME", "/dev/null/home"),
    ("ONCALL_ENCRYPTION_KEY", "short"),
    ("ONCALL_PORT", "eighty"),
    ("ONCALL_PORT", "-1"),
    ("ONCALL_PORT", "65536"),
    ("ONCALL_BASE_URL", "oncall.example"),
    ("ONCALL_TRUSTED_PROXIES", "10.0.0.0/8,my-proxy"),
    ("ONCALL_ALLOWED_NETWORKS", "prometheus.internal"),
    ("DATABASE_URL", "nope"),
    ("DATABASE_URL", "mysql://me:hunter2@host/name"),
    ("DATABASE_URL", "postgres://me:hunter2@host:port/name"),
    ("DATABASE_URL", "sqlite:///"),
    ("ONCALL_DURABILITY", "some"),
    ("ONCALL_CONCURRENCY", "0"),
    ("ONCALL_CONCURRENCY", "2.5"),
    ("ONCALL_LEASE_SECONDS", "5"),
    ("ONCALL_LEASE_SECONDS", "30 s"),
    ("ONCALL_LEASE_SECONDS", "nan"),
    ("ONCALL_LEASE_SECONDS", "inf"),
    ("ONCALL_EXTRA_APPS", "nope"),
    ("ONCALL_EXTRA_APPS", "tests.nope.deep"),
    ("ONCALL_EXTRA_APPS", "jobs"),
    ("ONCALL_LANGUAGE", "fr"),
]


@pytest.mark.parametrize(("name", "value"), BAD, ids=lambda text: text or "empty")
def test_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    for other in [other for other in os.environ if other.startswith("ONCALL_")]:
        monkeypatch.delenv(other)
    refused = manage(tmp_path, "check", **{name: value})
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith(f"Bad setting: {name}: ")
    assert refused.stderr.count("\n") == 1
    assert "hunter2" not in refused.stderr


def test_an_app_that_exists_is_taken_by_its_name_or_its_configuration(tmp_path: Path) -> None:
    both = "tests.e2e.worker_jobs,django.contrib.humanize.apps.HumanizeConfig"
    assert manage(tmp_path, "check", ONCALL_EXTRA_APPS=both).returncode == 0
