"""Each dependency has a line in ``docs/dependencies.md``, each line a dependency, and the lock pins each of them."""

import re
import tomllib

from tests.house.repository import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def named(requirements: list[str]) -> set[str]:
    """Names in the form in which an index compares them."""
    return {re.sub(r"[-_.]+", "-", re.split(r"[^A-Za-z0-9._-]", line)[0]).lower() for line in requirements}


def asked_for(*extras: str) -> set[str]:
    optional = PROJECT["optional-dependencies"]
    return named(PROJECT["dependencies"]).union(*(named(optional[extra]) for extra in extras))


def test_the_page_has_a_line_for_every_dependency_and_no_other() -> None:
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    lines = named(re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE))
    assert lines == asked_for(*PROJECT["optional-dependencies"])


def pinned(lock: str) -> set[str]:
    return named(re.findall(r"^([A-Za-z0-9._-]+)==", (ROOT / lock).read_text(encoding="utf-8"), re.MULTILINE))


def test_the_locks_pin_every_dependency() -> None:
    assert asked_for("postgres") - pinned("requirements.lock") == set()
    assert asked_for("postgres", "dev") - pinned("requirements-dev.lock") == set()
