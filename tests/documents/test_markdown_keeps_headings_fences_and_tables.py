"""A chunk of Markdown knows the headings above it; a fence or table that fits stays whole; front matter is metadata."""

from documents.chunking import chunk
from documents.chunking_options import Chunking
from documents.extraction import extract


def test_the_heading_path_is_that_of_the_text_not_of_the_code() -> None:
    code = "```\n# not a heading\n```"
    text = f"# Redis 手册\n\nintro\n\n## 处置 `now`\n\n{code}\n\n### [Deep](x) one\n\ntext\n\n## Back\n\nend"
    extracted = extract(text.encode(), file_name="a.md")
    paths = [found.heading_path for found in chunk(extracted, Chunking())]
    assert paths == [
        ("Redis 手册",),
        ("Redis 手册", "处置 now"),
        ("Redis 手册", "处置 now", "Deep one"),
        ("Redis 手册", "Back"),
    ]
    assert extracted.title == "Redis 手册"


def test_a_fence_and_a_table_stay_whole() -> None:
    fence = "```sh\n" + "\n\n".join(f"kubectl describe pod web-{n}" for n in range(18)) + "\n```"
    table = "| a | b |\n|---|---|\n" + "\n".join(f"| {n} | value |" for n in range(25))
    filler = "Some words in front of it. " * 30
    extracted = extract(f"# T\n\n{filler}\n\n{fence}\n\n{filler}\n\n{table}".encode(), file_name="a.md")
    texts = [extracted.text[found.start : found.end] for found in chunk(extracted, Chunking())]
    assert any(fence in text for text in texts)
    assert any(table in text for text in texts)


def test_a_heading_without_text_goes_with_the_section_under_it() -> None:
    extracted = extract(b"# Title\n\n## Meaning\n\nIt is down.", file_name="a.md")
    (only,) = chunk(extracted, Chunking())
    assert only.heading_path == ("Title", "Meaning")
    assert extracted.text[only.start : only.end] == extracted.text


def test_front_matter_becomes_metadata_and_is_no_text() -> None:
    text = '---\ntitle: "Disk full"\ntags: [disk, linux]\nseverity: page\nnested:\n  a: 1\n---\n# Heading\n\nBody.'
    extracted = extract(text.encode(), file_name="a.md")
    assert extracted.metadata == {"title": "Disk full", "tags": ["disk", "linux"], "severity": "page"}
    assert extracted.title == "Disk full"
    (only,) = chunk(extracted, Chunking())
    assert extracted.text[only.start : only.end] == "# Heading\n\nBody."


def test_a_large_file_is_cut_as_a_small_one() -> None:
    section = "## Part {n}\n\n```\n# in a fence {n}\n```\n\n" + "Words to fill the part. " * 40 + "\n\n"
    text = "# Big\n\n" + "".join(section.format(n=n) for n in range(400))
    extracted = extract(text.encode(), file_name="a.md")
    paths = {block.path for block in extracted.blocks}
    assert len(text) > 3 * 128 * 1024
    assert paths == {("Big",), *(("Big", f"Part {n}") for n in range(400))}
