"""A status changes in ``transitions.py`` and ``claim.py`` and nowhere else.

What writes one: ``.update(status=…)`` and its kin, ``row.status = …``, ``Model(status=…)``, and SQL that sets it. The
jobs' SQL is in ``jobs/sql.py``, and ``jobs/endings.py`` says which of it an ending uses; only the two writers run it.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from django.apps import apps

from tests.house.repository import APPS, app_modules, inside, tree_of

WRITERS = {"jobs/transitions.py", "jobs/claim.py", "documents/transitions.py", "diagnosis/transitions.py"}
JOB_SQL = "jobs/sql.py"
TABLES_OF_SQL = {JOB_SQL, "jobs/endings.py"}
SETS_STATUS = re.compile(r"\bSET\b(?:(?!\bWHERE\b)[^;])*?\bstatus\s*=")
BEARS_A_JOB = re.compile(r"\bINSERT\s+INTO\s+jobs_job\b")
SETTERS = {"update", "aupdate", "create", "acreate", "get_or_create", "update_or_create"}
# A tool call is written once, as a whole, when its answer is there: its status is no state that changes.
WRITTEN_ONCE = {"ToolCall"}
MODELS = {
    model.__name__
    for model in apps.get_models()
    if model._meta.app_label in APPS and any(field.name == "status" for field in model._meta.fields)
} - WRITTEN_ONCE


def is_row_write(call: ast.Call) -> bool:
    """Whether a call that is given ``status=`` writes a row: a queryset's setter, or a model made on the spot."""
    match call.func:
        case ast.Attribute(attr=name):
            return name in SETTERS
        case ast.Name(id=name):
            return name in MODELS
    return False


def names_status_in_a_list(call: ast.Call) -> bool:
    """``bulk_update(rows, ["status"])``, ``save(update_fields=["status"])``."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    return name in {"bulk_update", "abulk_update", "save", "asave"} and any(
        isinstance(node, ast.Constant) and node.value == "status"
        for argument in (*call.args, *(keyword.value for keyword in call.keywords))
        for node in ast.walk(argument)
    )


def writes_a_status(node: ast.AST) -> bool:
    match node:
        case ast.Call():
            given = any(keyword.arg == "status" for keyword in node.keywords)
            return (given and is_row_write(node)) or names_status_in_a_list(node)
        case ast.Assign(targets=targets):
            return any(isinstance(t, ast.Attribute) and t.attr == "status" and not on_self(t) for t in targets)
        case ast.Constant(value=str()) | ast.JoinedStr():
            return bool(SETS_STATUS.search(text_in(node)))
    return False


def on_self(target: ast.Attribute) -> bool:
    return isinstance(target.value, ast.Name) and target.value.id == "self"


def found_in(path: Path) -> Iterator[str]:
    return (f"{inside(path)}:{node.lineno}" for node in ast.walk(tree_of(path)) if writes_a_status(node))  # type: ignore[attr-defined]


def test_no_other_module_writes_a_status() -> None:
    others = (path for path in app_modules() if inside(path) not in {*WRITERS, *TABLES_OF_SQL})
    assert [line for path in others for line in found_in(path)] == []


def statements_with(pattern: re.Pattern[str]) -> set[str]:
    """The names in ``jobs/sql.py`` that hold, or make, SQL of this kind."""
    path = next(path for path in app_modules() if inside(path) == JOB_SQL)
    return {name for node in tree_of(path).body for name in names_bound(node) if pattern.search(text_in(node))}


def names_bound(node: ast.stmt) -> list[str]:
    match node:
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.FunctionDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
    return []


def text_in(node: ast.AST) -> str:
    return "".join(n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str))


def test_only_the_writers_use_sql_that_sets_a_job_status() -> None:
    statements = statements_with(SETS_STATUS)
    assert statements, "jobs/sql.py sets no status any more: this test looks in the wrong place"
    others = [path for path in app_modules() if inside(path) not in {*WRITERS, *TABLES_OF_SQL}]
    assert [inside(path) for path in others if statements & names_used(path) or "statement" in attributes(path)] == []
    assert "execute" not in attributes(next(path for path in app_modules() if inside(path) == "jobs/endings.py"))


def test_only_enqueue_makes_a_job() -> None:
    births = statements_with(BEARS_A_JOB)
    assert births
    assert [inside(path) for path in app_modules() if births & names_used(path)] == ["jobs/enqueue.py"]


def attributes(path: Path) -> set[str]:
    return {node.attr for node in ast.walk(tree_of(path)) if isinstance(node, ast.Attribute)}


def names_used(path: Path) -> set[str]:
    """Names taken from ``jobs.sql``, as ``sql.NAME`` or by ``from jobs.sql import NAME``."""
    used: set[str] = set()
    for node in ast.walk(tree_of(path)):
        match node:
            case ast.Attribute(value=ast.Name(id="sql"), attr=name):
                used.add(name)
            case ast.ImportFrom(module="jobs.sql", names=names):
                used.update(alias.name for alias in names)
    return used


def test_the_search_sees_each_way_to_write_a_status() -> None:
    ways = [
        "Job.objects.filter(id=x).update(status='failed')",
        "job.status = 'failed'",
        "Job(status='failed')",
        "Job.objects.create(status='failed')",
        "job.save(update_fields=['status'])",
        "Job.objects.bulk_update(rows, fields=['status'])",
        "cursor.execute('UPDATE jobs_job SET attempt = 1, status = %s')",
    ]
    for way in ways:
        assert any(writes_a_status(node) for node in ast.walk(ast.parse(way))), way
    for harmless in ["Job.objects.filter(status='failed')", "Response(data, status=404)", "Q(status='queued')"]:
        assert not is_found(harmless), harmless


def is_found(source: str) -> bool:
    return any(writes_a_status(node) for node in ast.walk(ast.parse(source)))
