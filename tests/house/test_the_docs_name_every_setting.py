"""``docs/settings.md`` and the settings module name the same variables of the environment."""

import ast
import re

from tests.house.repository import ROOT, tree_of

READS = {
    "_setting",
    "_number",
    "_choice",
    "_networks",
    "_apps",
    "db_url",
    "str",
    "int",
    "float",
    "list",
    "bool",
    "path",
    "getenv",
    "get",
}
VARIABLE = re.compile(r"^[A-Z][A-Z0-9_]{3,}$")


def variables_read() -> set[str]:
    """First arguments of the calls in ``oncall/settings.py`` that read the environment."""
    return {
        node.args[0].value
        for node in ast.walk(tree_of(ROOT / "oncall" / "settings.py"))
        if isinstance(node, ast.Call) and called(node) in READS and node.args
        if isinstance(node.args[0], ast.Constant) and VARIABLE.match(str(node.args[0].value))
    }


def called(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def variables_in_the_table() -> set[str]:
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    return set(re.findall(r"^\| `([A-Z][A-Z0-9_]+)` \|", page, re.MULTILINE))


def test_the_table_has_every_setting_and_no_other() -> None:
    assert variables_read() == variables_in_the_table()


def test_the_search_finds_settings_at_all() -> None:
    assert {"ONCALL_HOME", "DATABASE_URL", "ONCALL_LEASE_SECONDS"} <= variables_read()
