import ast
from pathlib import Path

ENGINE = Path(__file__).resolve().parents[3] / "diagnosis" / "engine"
ALLOWED = {
    "diagnosis",
    "numpy",
    "collections",
    "dataclasses",
    "datetime",
    "itertools",
    "json",
    "math",
    "re",
    "types",
    "typing",
    "urllib",
}


def test_it_imports_nothing_that_has_a_state_of_its_own() -> None:
    for path in ENGINE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            for name in names:
                assert name.split(".")[0] in ALLOWED, (path.name, name)
                assert not name.startswith(("diagnosis.models", "diagnosis.tools")), (path.name, name)


def test_it_asks_no_clock() -> None:
    for path in ENGINE.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert ".now(" not in text and "utcnow" not in text and "time.time" not in text, path.name
