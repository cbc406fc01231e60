"""A newcomer reads one short file. The ceilings here are far above the house's aim (8 lines a function, 80 a file)."""

from tests.house.repository import app_modules, functions_of, inside

LONGEST_FUNCTION = 70
LONGEST_MODULE = 400
NAMES_THAT_SAY_NOTHING = {"utils", "helpers", "services", "managers", "base", "common", "misc"}


def test_no_function_is_longer_than_a_screen() -> None:
    long = [
        f"{inside(path)}:{function.lineno} {function.name}: {lines} lines"
        for path in app_modules()
        for function in functions_of(path)
        if (lines := (function.end_lineno or function.lineno) - function.lineno + 1) > LONGEST_FUNCTION
    ]
    assert long == []


def test_no_module_holds_more_than_one_subject() -> None:
    lengths = {inside(path): len(path.read_text(encoding="utf-8").splitlines()) for path in app_modules()}
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST_MODULE} == {}


def test_no_module_has_a_name_that_says_nothing() -> None:
    named = [
        inside(path)
        for path in app_modules()
        if NAMES_THAT_SAY_NOTHING & {path.stem, *path.relative_to(path.parents[-2]).parts[:-1]}
    ]
    assert named == []
