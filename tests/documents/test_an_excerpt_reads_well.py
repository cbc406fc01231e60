"""An excerpt is an exact slice, cut at words; what people read of it repeats no heading and leaves no fence open."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.excerpt import EXCERPT_CHARACTERS, excerpt
from documents.models import Chunk, Document
from documents.passage import passage
from documents.search import Hit
from oncall.templatetags.excerpts import marked

WORDS = st.text(alphabet="ab磁 \n`#", max_size=1_500)


def chunk_of(text: str, *path: str, title: str = "Disk full") -> Chunk:
    return Chunk(document=Document(title=title, file_name="disk.md"), heading_path=list(path), text=text)


def read(text: str, *path: str, terms: tuple[str, ...] = ("space",)) -> str:
    chunk = chunk_of(text, *path)
    return "".join(piece for piece, _ in passage(chunk, excerpt(text, terms)))


@given(WORDS)
def test_it_is_a_slice_whose_matches_are_words_of_the_query(text: str) -> None:
    found = excerpt(text, ["ab", "磁磁"])
    assert text[found.start : found.start + len(found.text)] == found.text
    assert len(found.text) <= EXCERPT_CHARACTERS
    assert all(set(found.text[start:end].lower()) <= set("ab磁") for start, end in found.matches)


@pytest.mark.parametrize("place", [0, 1, 40, 99])
def test_no_word_is_cut_at_either_end(place: int) -> None:
    words = [f"word{number}" for number in range(100)]
    words[place] = "space"
    text = " ".join(words)
    found = excerpt(text, ["space"])
    assert set(found.text.split()) <= set(words)
    assert "space" in found.text
    shown = "".join(piece for piece, _ in passage(chunk_of(text), found))
    assert shown.startswith("… ") == (found.start > 0)
    assert shown.endswith(" …") == (not text.endswith(found.text))


def test_a_match_at_the_end_of_a_long_text_is_shown() -> None:
    text = "filler " * 100 + "\n" + "x" * 30 + " space"
    assert "space" in excerpt(text, ["space"]).text


def test_headings_of_the_path_are_not_said_again() -> None:
    text = "# Disk full\n\n## Meaning ##\n\nNo space is left.\n\n## Other\n\nMore."
    assert read(text, "Disk full", "Meaning") == "No space is left.\n\n## Other\n\nMore."


def test_an_underlined_heading_is_not_said_again() -> None:
    assert read("Meaning\n-------\n\nNo space is left.", "Disk full", "Meaning") == "No space is left."


def test_a_line_that_only_looks_like_a_heading_stays() -> None:
    assert read("Meaning\n\nNo space is left.", "Meaning") == "Meaning\n\nNo space is left."


def test_a_chunk_of_headings_alone_is_shown_as_it_is() -> None:
    assert read("# Disk full\n", "Disk full") == "# Disk full\n"


@pytest.mark.parametrize("fence", ["```", "~~~~"])
def test_no_fence_is_left(fence: str) -> None:
    text = f"Free space:\n\n{fence}sh\ndf -h\n" + "echo more words\n" * 40 + f"{fence}\n"
    shown = read(text)
    assert shown.startswith("Free space:\n\ndf -h\n")
    assert fence not in shown


def test_matches_stay_marked_and_markup_stays_text() -> None:
    text = "# Disk full\n\nNo <b>space</b> is left; space!"
    hit = Hit(chunk_of(text, "Disk full"), 1.0, 1, 1, excerpt(text, ["space"]))
    page = marked(hit)
    assert page == "No &lt;b&gt;<mark>space</mark>&lt;/b&gt; is left; <mark>space</mark>!"


@given(WORDS)
def test_what_is_read_has_the_words_of_the_excerpt(text: str) -> None:
    found = excerpt(text, ["ab"])
    shown = "".join(piece for piece, _ in passage(chunk_of(text, title="x"), found)).strip("… ")
    kept = [line for line in found.text.splitlines() if not re.match(r"\s*```", line)]
    assert set(re.findall(r"\w+", shown)) >= set(re.findall(r"\w+", "\n".join(kept)))
