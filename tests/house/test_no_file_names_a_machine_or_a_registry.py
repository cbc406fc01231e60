"""A clone works on any machine and with any package index: nothing committed names the ones it was written with."""

import re

from tests.house.repository import committed_files, inside

# Written in pieces, so that this file does not name them either.
FORBIDDEN = re.compile(
    "|".join(
        [
            r"(?<![\w.}])/" + r"work/(main|shared|\.library)",
            r"(?<![\w.}])/" + r"tmp/oa\b",
            r"(?<![\w.}])/" + r"root/",
            r"(?<![\w.}])/" + r"opt/(pypi|wheels)",
            r"py" + r"pi\.org",
            r"python" + r"hosted\.org",
            r"registry\.npm" + r"js\.org",
            r"deb\.debian" + r"\.org",
        ]
    ).encode()
)


def test_no_committed_file_names_a_path_of_a_machine_or_the_host_of_a_registry() -> None:
    found = [
        f"{inside(path)}: {match.group().decode()}"
        for path in committed_files()
        if (match := FORBIDDEN.search(path.read_bytes()))
    ]
    assert found == []
