"""What a browser is given is what ``docs/vendor.md`` says it is."""

import hashlib
import re

from tests.house.repository import ROOT

ROW = re.compile(r"^\| `(?P<file>[^`]+)` \|.*\| `(?P<hash>[0-9a-f]{64})` \|$", re.MULTILINE)


def test_every_vendored_file_has_its_hash_in_the_docs() -> None:
    said = {row["file"]: row["hash"] for row in ROW.finditer((ROOT / "docs" / "vendor.md").read_text())}
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (ROOT / "static" / "vendor").iterdir()
        if "LICENSE" not in path.name
    }
    assert found == said
