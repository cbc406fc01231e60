"""The app that ``docs/handlers.md`` shows whole is taken from the page and run: its test, a worker, the shell line."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.repository import ROOT

pytestmark = pytest.mark.e2e
PAGE = (ROOT / "docs" / "handlers.md").read_text(encoding="utf-8")
APP = "disk_report"


def files_of(app: str) -> dict[str, str]:
    """The blocks of Python whose first line says which file of the app they are."""
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    named = [(re.match(rf"# ({app}/\w+\.py)\n", block), block) for block in blocks]
    return {name[1]: block for name, block in named if name}


def line_of_the_shell() -> str:
    found = re.search(r"manage\.py shell -c '\n(.*?)'\n", PAGE, re.DOTALL)
    assert found
    return found[1]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with the app in it, and the data folder ``home`` beside it."""
    for name, text in {f"{APP}/__init__.py": "", **files_of(APP)}.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (tmp_path / "home").mkdir()
    return tmp_path


def run(project: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A Python of ours that finds the app as it would next to ``manage.py``."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("ONCALL_", "PYTEST_"))}
    environment = {
        **{name: value for name, value in inherited.items() if name not in {"DATABASE_URL", "DJANGO_SETTINGS_MODULE"}},
        "ONCALL_HOME": str(project / "home"),
        "ONCALL_EXTRA_APPS": APP,
        "PYTHONPATH": os.pathsep.join([str(project), str(ROOT)]),
        **variables,
    }
    return subprocess.run(
        [sys.executable, *command],
        env=environment,
        cwd=project,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def manage(project: Path, *arguments: str) -> str:
    done = run(project, str(ROOT / "manage.py"), *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_its_test_passes(project: Path) -> None:
    arguments = ["-q", "--rootdir", str(project), "-p", "no:cacheprovider", APP]
    done = run(project, "-m", "pytest", *arguments, DJANGO_SETTINGS_MODULE="tests.settings")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed" in done.stdout


def test_a_worker_runs_what_the_shell_enqueues(project: Path) -> None:
    manage(project, "bootstrap", "--no-samples")
    job = manage(project, "shell", "-c", line_of_the_shell()).split()[-1]
    manage(project, "runworkers", "--burst")
    asked = f"from jobs.models import Job; print(Job.objects.get(pk={job!r}).status)"
    assert manage(project, "shell", "-c", asked).split()[-1] == "succeeded"
