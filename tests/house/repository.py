"""What the tests about the house look at: the files of this repository, and the syntax trees of its Python."""

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APPS = ("oncall", "jobs", "documents", "diagnosis")


@cache
def committed_files() -> tuple[Path, ...]:
    """What git holds or would take; without git (an unpacked archive) everything outside hidden and data folders."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode == 0:
        paths = (ROOT / name for name in listed.stdout.decode().split("\0") if name)
    else:
        paths = (p for p in ROOT.rglob("*") if not any(part.startswith(".") or part == "var" for part in p.parts))
    return tuple(sorted(path for path in paths if path.is_file()))


@cache
def app_modules() -> tuple[Path, ...]:
    """Every Python file of the apps, migrations aside."""
    return tuple(
        path
        for path in committed_files()
        if path.suffix == ".py" and inside(path).split("/")[0] in APPS and "migrations" not in path.parts
    )


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def inside(path: Path) -> str:
    """The path as the repository names it: ``jobs/states.py``."""
    return path.relative_to(ROOT).as_posix()


def functions_of(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree_of(path)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
