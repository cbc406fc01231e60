"""Both lexicons give the scores of one formula (BM25 with k1 1.2, b 0.75, headings counted six times)."""

import math

import pytest

from documents.models import Chunk, KnowledgeBase
from documents.scope import scope_for
from documents.stores.lexicon import HEADING_WEIGHT, MAX_TERMS, rarest
from documents.stores.tables import TableStore, lexicon
from documents.tokens import tokenize
from jobs.testing import run_until_idle
from tests.documents.factories import add

pytestmark = pytest.mark.django_db
TEXTS = {
    "Disk full": "disk disk log node_disk_bytes and more words to make it longer than the others are",
    "Queue": "a queue that fills the disk",
    "Pods": "restart",
    "磁盘": "磁盘空间不足 disk",
}


@pytest.fixture
def rows(base: KnowledgeBase) -> dict[int, tuple[list[str], list[str]]]:
    """Tokens of headings and body by chunk."""
    for name, text in TEXTS.items():
        add(base, f"{name}.txt", text)
    run_until_idle()
    chunks = Chunk.objects.select_related("document")
    return {chunk.pk: (tokenize(chunk.document.title), tokenize(chunk.text)) for chunk in chunks}


def expected(rows: dict[int, tuple[list[str], list[str]]], terms: list[str]) -> dict[int, float]:
    # A row's scope (its base and its document) counts as two tokens, as it does in FTS5.
    lengths = {key: len(head) + len(body) + 2 for key, (head, body) in rows.items()}
    average = sum(lengths.values()) / len(rows)
    scores: dict[int, float] = {}
    for term in terms:
        having = [key for key, (head, body) in rows.items() if term in head or term in body]
        idf = max(math.log((len(rows) - len(having) + 0.5) / (len(having) + 0.5)), 1e-6) if having else 0
        for key in having:
            head, body = rows[key]
            tf = HEADING_WEIGHT * head.count(term) + body.count(term)
            part = idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * lengths[key] / average))
            scores[key] = scores.get(key, 0) + part
    return scores


@pytest.mark.parametrize("terms", [["disk"], ["queue", "restart"], ["磁盘", "disk", "空间"], ["node_disk_byte"]])
def test_the_scores(base: KnowledgeBase, rows: dict[int, tuple[list[str], list[str]]], terms: list[str]) -> None:
    found = dict(lexicon().ranked(scope_for([base.owner_user_id]), terms, limit=50))
    assert found == pytest.approx(expected(rows, terms), rel=1e-6)


def test_terms_that_nobody_uses_and_no_terms_find_nothing(base: KnowledgeBase) -> None:
    store, scope = TableStore(), scope_for([base.owner_user_id])
    assert store.lexical(scope, ["zebra"], limit=5) == {} and store.lexical(scope, [], limit=5) == {}


def test_a_long_query_is_cut_to_its_rarest_terms() -> None:
    terms = [f"t{number}" for number in range(40)]
    counts = {term: (number * 7) % 40 + 1 for number, term in enumerate(terms[:-1])}
    kept = rarest(counts, terms)
    assert len(kept) == MAX_TERMS and set(kept) == set(sorted(counts, key=counts.__getitem__)[:MAX_TERMS])
    assert kept == [term for term in terms if term in kept]
