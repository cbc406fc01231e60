"""Chunking options are checked once, at the upload; the text names the field."""

from typing import Any

import pytest

from documents.chunking_options import BadChunking, Chunking, read_chunking


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ("{", "chunking must"),
        ("[]", "chunking must"),
        ("null", "chunking must"),
        ("[" * 100_000, "chunking must"),
        ({"strategy": "words"}, "chunking.strategy"),
        ({"strategy": None}, "chunking.strategy"),
        ({"strategy": ["auto"]}, "chunking.strategy"),
        ({"strategy": "auto", "maxCharacters": 500}, "chunking.maxCharacters"),
        ({"size": 1}, "chunking.size"),
        ({"strategy": "fixed-character", "maxCharacters": 99}, "chunking.maxCharacters"),
        ({"strategy": "fixed-character", "maxCharacters": 5001}, "chunking.maxCharacters"),
        ({"strategy": "fixed-character", "maxCharacters": "500"}, "chunking.maxCharacters"),
        ({"strategy": "fixed-character", "maxCharacters": True}, "chunking.maxCharacters"),
        ({"strategy": "fixed-character", "maxCharacters": 1e3}, "chunking.maxCharacters"),
        ({"strategy": "fixed-character", "maxCharacters": 200, "overlapCharacters": 200}, "chunking.overlapCharacters"),
        ({"strategy": "fixed-character", "overlapCharacters": -1}, "chunking.overlapCharacters"),
    ],
)
def test_the_field_is_named(value: Any, field: str) -> None:
    with pytest.raises(BadChunking, match=field.replace(".", r"\.")):
        read_chunking(value)


@pytest.mark.parametrize("value", [None, "", "{}", {"strategy": "auto"}])
def test_the_default(value: Any) -> None:
    assert read_chunking(value) == Chunking()


@pytest.mark.parametrize(
    "chunking", [Chunking(), Chunking("paragraph"), Chunking("markdown-heading"), Chunking("fixed-character", 100, 99)]
)
def test_what_is_kept_reads_back(chunking: Chunking) -> None:
    assert read_chunking(chunking.as_json()) == chunking
