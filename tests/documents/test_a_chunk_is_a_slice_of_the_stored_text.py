"""Whatever the text and the strategy: slicing the stored text by a chunk's offsets gives it, and nothing is lost."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from documents.chunking import MAX_TOKENS, Chunk, chunk
from documents.chunking_options import Chunking
from documents.extraction import Extracted, extract
from documents.measure import token_count

PIECES = st.sampled_from(
    [
        "# Title", "## Section", "### Deep `code` [link](x)", "Setext\n======", "Words of a sentence. Another one!",
        "先看连接数，再决定是否重启。然后通知值班；最后复盘！", "```sh\nkubectl get pods\n\n# no heading\n```",
        "~~~\nopen", "| a | b |\n|---|---|\n| 1 | 2 |", "- item\n- item\n  - nested",
        "1. one\n\n   more of one\n2. two",
        "> quoted\n> text", "    indented code", "<div>\nhtml\n</div>", "x" * 3_000, "长" * 900,
        "word " * 400, "字。" * 400,
        "\t \t", "---", "[ref]: http://example.org", "a\u2028b", "🙂" * 20, "line\n" * 200,
    ]
)  # fmt: skip
WORDS = st.text(st.characters(exclude_categories=["Cc", "Cs"]) | st.sampled_from("\n\t "), max_size=80)
TEXTS = st.lists(st.one_of(PIECES, WORDS), max_size=25).map("\n\n".join)
STRATEGIES = [
    Chunking(),
    Chunking("markdown-heading"),
    Chunking("paragraph"),
    Chunking("fixed-character", 100, 99),
    Chunking("fixed-character", 700, 0),
]


def chunks_of(text: str, name: str, chunking: Chunking) -> tuple[Extracted, list[Chunk]]:
    extracted = extract(text.encode(), file_name=name)
    return extracted, list(chunk(extracted, chunking))


@pytest.mark.parametrize("chunking", STRATEGIES, ids=lambda found: f"{found.strategy}-{found.overlap_characters}")
@pytest.mark.parametrize("name", ["a.md", "a.txt"])
@settings(max_examples=60)
@given(text=TEXTS)
def test_slices_hold(name: str, chunking: Chunking, text: str) -> None:
    extracted, chunks = chunks_of(text, name, chunking)
    stored = extracted.text
    covered = bytearray(len(stored))
    for ordinal, found in enumerate(chunks):
        piece = stored[found.start : found.end]
        assert found.ordinal == ordinal and 0 <= found.start < found.end <= len(stored)
        assert piece.strip() and piece == piece.rstrip()
        assert found.line_start == stored.count("\n", 0, found.start) + 1
        assert found.line_end == stored.count("\n", 0, found.end) + 1
        if chunking.strategy == "fixed-character":
            assert len(piece) <= chunking.max_characters
        else:
            assert token_count(piece) <= MAX_TOKENS
        covered[found.start : found.end] = b"\x01" * (found.end - found.start)
    # Every word of the blocks is in a chunk (link definitions and front matter are no text of the document).
    for block in extracted.blocks:
        missing = [at for at in range(block.start, block.end) if not covered[at] and not stored[at].isspace()]
        assert missing == []


def test_oversize_text_is_cut_at_sentence_ends_also_chinese_ones() -> None:
    text = "先看连接数，再决定是否重启。" * 60
    extracted, chunks = chunks_of(text, "a.txt", Chunking())
    assert len(chunks) > 2
    assert all(extracted.text[found.end - 1] == "。" for found in chunks)


def test_neighbours_of_one_section_share_one_sentence_and_sections_share_none() -> None:
    first = " ".join(f"Sentence number {n} of the first part." for n in range(80))
    extracted, chunks = chunks_of(f"# A\n\n{first}\n\n# B\n\nThe second part.", "a.md", Chunking())
    same = [found for found in chunks if found.heading_path == ("A",)]
    assert len(same) > 1
    for before, after in pairwise(same):
        shared = extracted.text[after.start : before.end]
        assert shared.startswith("Sentence number") and shared.count(".") == 1
    assert chunks[-1].heading_path == ("B",) and chunks[-1].start >= same[-1].end


def test_five_thousand_chinese_characters_are_many_chunks() -> None:
    _, chunks = chunks_of("运维" * 2_500, "a.txt", Chunking())
    assert len(chunks) >= 17
