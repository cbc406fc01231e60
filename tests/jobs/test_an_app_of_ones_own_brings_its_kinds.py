"""``ONCALL_EXTRA_APPS`` installs an app, and what its ``job_handlers`` module registers is served: no setting of ours
is touched."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

HANDLERS = """
from jobs.handlers import job_handler
from jobs.resources import register_resource

register_resource("picture", lambda changes, now: None)

@job_handler("thumbnail", max_attempts=5)
def make_thumbnail(context):
    return None
"""
ASK = """
import django; django.setup()
from jobs.handlers import handler_for
from jobs.resources import resource_for
print(handler_for("thumbnail").max_attempts, resource_for("picture") is not None)
"""


@pytest.mark.e2e
def test_its_kinds_and_resources_are_found_at_start(tmp_path: Path) -> None:
    app = tmp_path / "my_team_jobs"
    app.mkdir()
    (app / "__init__.py").touch()
    (app / "job_handlers.py").write_text(HANDLERS)
    path = os.pathsep.join([str(tmp_path), str(settings.BASE_DIR)])
    environment = {
        **os.environ,
        "ONCALL_EXTRA_APPS": "my_team_jobs",
        "DJANGO_SETTINGS_MODULE": "oncall.settings",
        "PYTHONPATH": path,
    }
    asked = subprocess.run([sys.executable, "-c", ASK], env=environment, capture_output=True, text=True, check=False)
    assert (asked.stdout, asked.returncode) == ("5 True\n", 0), asked.stderr
