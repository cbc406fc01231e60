"""The apps lean on each other in one direction only; the contracts are in ``pyproject.toml``."""

import subprocess
import sys
from pathlib import Path

from tests.house.repository import ROOT


def test_import_linter_finds_no_broken_contract() -> None:
    command = Path(sys.executable).with_name("lint-imports")
    ran = subprocess.run([command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
