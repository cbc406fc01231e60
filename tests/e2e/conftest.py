"""A migrated data folder for each test with worker processes; none of them outlives its test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.worker_process import Home


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Home:
    folder = tmp_path_factory.mktemp("migrated") / "home"
    folder.mkdir()
    home = Home(folder)
    done = home.run("migrate", "--verbosity", "0")
    assert done.returncode == 0, done.stderr
    return home


@pytest.fixture
def home(migrated: Home, tmp_path: Path) -> Iterator[Home]:
    home = migrated.copy(tmp_path / "home")
    yield home
    home.clear()
