"""What cannot be read is refused by a code and a sentence, at once, whatever its name says."""

import random

import pytest

from documents.errors import BadDocument
from documents.extraction import check_readable

NOISE = random.Random(7).randbytes(4_000)
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + NOISE


def code_of(data: bytes, name: str) -> str:
    with pytest.raises(BadDocument) as refused:
        check_readable(data, file_name=name)
    assert refused.value.permanent and refused.value.sentence.endswith(".")
    return refused.value.code


@pytest.mark.parametrize("data", [NOISE, NOISE[:50], PNG, b"\x00" * 500, b"\x01\x02\x03" * 100])
def test_bytes_under_a_text_name(data: bytes) -> None:
    assert code_of(data, "notes.md") == "unsupported_type"


@pytest.mark.parametrize(
    ("data", "name", "word"),
    [
        (b"%PDF-1.7 ...", "book.pdf", ".pdf"),
        (b"%PDF-1.7 ...", "book.md", "application/pdf"),
        (b"PK\x03\x04....", "book.docx", ".docx"),
        (b"PK\x03\x04....", "book.txt", "application/zip"),
        (b"<!DOCTYPE html><p>x", "page.html", ".html"),
        (b"<html>", "page.md", "text/html"),
        (b"hello", "run.exe", ".exe"),
        (b"hello", "Makefile", "without an extension"),
    ],
)
def test_other_types_are_refused_with_a_sentence_that_says_so(data: bytes, name: str, word: str) -> None:
    assert code_of(data, name) == "unsupported_type"
    with pytest.raises(BadDocument, match="cannot be read") as refused:
        check_readable(data, file_name=name)
    assert word in refused.value.sentence and ".md" in refused.value.sentence


def test_text_that_contradicts_its_mark_is_garbled() -> None:
    assert code_of(b"\xef\xbb\xbfabc\xff\xfe", "a.md") == "garbled"


def test_text_above_twenty_megabytes_is_too_large() -> None:
    assert code_of(b"a" * (20 * 1024 * 1024 + 1), "a.log") == "too_large"


@pytest.mark.parametrize(
    "name", ["a.md", "a.txt", "A.LOG", "a.rst", "a.csv", "a.json", "a.yaml", "a.yml", "a.markdown"]
)
def test_text_formats_are_read(name: str) -> None:
    assert check_readable(b"key: value", file_name=name)
