"""A hit is a place in a document, with the words that matched, the ranks of both retrievers, and a fused score."""

import pytest

from documents.models import IndexVersion
from documents.scope import scope_for
from documents.search import search
from oncall.models import User
from tests.documents.factories import indexed, long_text

pytestmark = pytest.mark.django_db

ENGLISH = {
    "disk.md": "# Disk is full\n\nThe file system has no space left. Remove old logs, then grow the volume.",
    "certificate.md": "# Certificate expires\n\nThe TLS certificate ends soon. Renew it and reload the proxy.",
    "queue.md": "# Queue grows\n\nMessages arrive faster than consumers read them. Add consumers.",
    "KubePodCrashLooping.md": "# Pods\n\nA container starts and stops again and again. Read its last log.",
    "pods.md": "# Talk of pods\n\nKubePodCrashLooping and KubePodCrashLooping again. " + "KubePodCrashLooping. " * 9,
}


@pytest.fixture
def owner(alice: User) -> User:
    for name, text in ENGLISH.items():
        indexed(alice, name, text)
    return alice


def first(owner: User, query: str) -> str:
    return search(scope_for([owner.pk]), query)[0].chunk.document.file_name


def test_a_chinese_question_finds_the_english_runbook(owner: User) -> None:
    assert first(owner, "磁盘空间满了怎么办") == "disk.md"
    assert first(owner, "证书快要过期了") == "certificate.md"


def test_other_words_for_the_same_thing(owner: User) -> None:
    assert first(owner, "no room on the drive any more") == "disk.md"


def test_the_exact_name_comes_first_whatever_else_talks_of_it(owner: User) -> None:
    assert first(owner, "KubePodCrashLooping") == "KubePodCrashLooping.md"
    assert first(owner, "KubePodCrashLooping: pod web-1 restarts") == "KubePodCrashLooping.md"
    assert first(owner, "disk is full") == "disk.md"


def test_a_hit_is_a_slice_with_lines_ranks_and_score(owner: User) -> None:
    hits = search(scope_for([owner.pk]), "renew the certificate")
    chunk = hits[0].chunk
    text = IndexVersion.objects.get(document=chunk.document).text
    assert text[chunk.start : chunk.end] == chunk.text
    assert (chunk.line_start, chunk.line_end, chunk.page) == (1, 3, None)
    assert (hits[0].lexical_rank, hits[0].dense_rank) == (1, 1)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(0 <= hit.score <= 1 for hit in hits)


def test_the_excerpt_shows_the_words_that_matched(alice: User) -> None:
    filler = "Nothing of interest is said here. " * 20
    indexed(alice, "long.md", f"# Long\n\n{filler}The certificate of the proxy ended. {filler}")
    (hit,) = search(scope_for([alice.pk]), "proxies certificates", one_per_document=True)
    shown = hit.excerpt
    assert len(shown.text) <= 320
    assert hit.chunk.text[shown.start : shown.start + len(shown.text)] == shown.text
    assert [shown.text[start:end] for start, end in shown.matches] == ["certificate", "proxy"]


def test_one_per_document_keeps_the_best_chunk_of_each(alice: User) -> None:
    indexed(alice, "many.md", long_text(30))
    scope = scope_for([alice.pk])
    assert len(search(scope, "restart unit7", limit=20)) == 20
    (only,) = search(scope, "restart unit7", limit=20, one_per_document=True)
    assert only.chunk.heading_path == ["Section 7"]
