"""What can be compared between the pages and the code is compared: links, make targets, the drawn state machine."""

import re
from itertools import chain
from pathlib import Path

from jobs.states import EDGES
from tests.house.repository import ROOT, committed_files, inside

PAGES = [path for path in committed_files() if path.suffix == ".md" and not inside(path).startswith("oncall/samples")]
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s#]+)(?:#[^)]*)?\)")


def local_links(page: Path) -> list[str]:
    return [link for link in LINK.findall(page.read_text(encoding="utf-8")) if not re.match(r"[a-z]+:", link)]


def test_every_link_to_a_file_leads_to_one() -> None:
    pages = [path for path in PAGES if path.parent == ROOT or inside(path).startswith("docs/")]
    dead = [
        f"{inside(page)}: {link}" for page in pages for link in local_links(page) if not (page.parent / link).exists()
    ]
    assert dead == []


def test_every_make_target_that_a_page_names_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(chain.from_iterable(line.split() for line in re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)))
    named = {
        target
        for page in PAGES
        for target in re.findall(r"(?:`|^|; )make ([a-z-]+)", page.read_text(encoding="utf-8"), re.M)
    }
    assert {"run", "test"} <= named
    assert named <= targets


def test_the_drawn_state_machine_is_the_one_in_the_code() -> None:
    page = (ROOT / "docs" / "state-machine.md").read_text(encoding="utf-8")
    drawn = {tuple(edge) for edge in re.findall(r"^\s*(\w+) --> (\w+)", page, re.MULTILINE)}
    assert drawn == {(before, after) for before, all_after in EDGES.items() for after in all_after}
