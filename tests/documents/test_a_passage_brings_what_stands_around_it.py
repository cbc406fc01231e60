"""``passage_around`` gives the found chunk with its neighbours, never more than asked, never another document's."""

import pytest

from documents.bases import create_base
from documents.models import Chunk
from documents.passages import passage_around
from documents.uploads import upload
from jobs.testing import run_until_idle
from oncall.models import User

pytestmark = pytest.mark.django_db

SECTIONS = ["symptom words here", "first look", "put it right: do this", "afterwards"]


@pytest.fixture
def chunks(alice: User) -> list[Chunk]:
    text = "# Runbook\n\n" + "\n\n".join(f"## Part {n}\n\n{section} " * 1 for n, section in enumerate(SECTIONS))
    base = create_base(owner_id=alice.pk, name="Runbooks")
    upload(base, file_name="a.md", data=text.encode())
    upload(base, file_name="b.md", data=b"# Another\n\nnot wanted here")
    run_until_idle()
    return list(Chunk.objects.filter(document__file_name="a.md").order_by("ordinal"))


def test_all_of_a_short_document_comes_with_any_chunk(chunks: list[Chunk]) -> None:
    for chunk in chunks:
        passage = passage_around(chunk, characters=4_000)
        assert all(section in passage.text for section in SECTIONS)
        assert (passage.line_start, passage.line_end) == (chunks[0].line_start, chunks[-1].line_end)
        assert "not wanted" not in passage.text


def test_what_follows_comes_before_what_precedes(chunks: list[Chunk]) -> None:
    middle = chunks[1]
    passage = passage_around(middle, characters=chunks[2].end - middle.start)
    assert passage.text.startswith(middle.text) and chunks[2].text in passage.text
    assert chunks[0].text not in passage.text


def test_a_chunk_larger_than_asked_stays_whole(chunks: list[Chunk]) -> None:
    assert passage_around(chunks[0], characters=1).text == chunks[0].text
