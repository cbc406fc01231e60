"""Our stemmer is Porter's: on every word it gives what SQLite's FTS5 gives, so an index of either can be read.

Very short words are left out, and invented ones have no *y*: there FTS5 strays from Porter's paper (*eed* becomes *e*).
"""

import re
import sqlite3
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import documents
from documents.porter import stem

ENDINGS = "s es ies ed eed ing ational tional izer ization fulness iveness ousness aliti icate ative able ement y ll e"
SUFFIXES = ENDINGS.split(" ")


def stems_of_fts5(words: list[str]) -> list[str]:
    database = sqlite3.connect(":memory:")
    try:
        database.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='porter ascii')")
        database.executemany("INSERT INTO t (rowid, x) VALUES (?, ?)", enumerate(words))
        database.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, 'instance')")
        found = dict(database.execute("SELECT doc, term FROM v").fetchall())
    finally:
        database.close()
    return [found[number] for number in range(len(words))]


def test_the_words_of_our_own_source() -> None:
    texts = [path.read_text(encoding="utf-8") for path in Path(documents.__file__).parent.rglob("*.py")]
    words = sorted({word for text in texts for word in re.findall("[a-z]{5,40}", text.lower())})
    assert len(words) > 500
    assert [stem(word) for word in words] == stems_of_fts5(words)


@given(st.lists(st.tuples(st.text("abcdeilnorstz", min_size=3, max_size=8), st.sampled_from(SUFFIXES)), min_size=1))
def test_words_that_nobody_uses(parts: list[tuple[str, str]]) -> None:
    words = ["".join(part) for part in parts]
    assert [stem(word) for word in words] == stems_of_fts5(words)
