"""No query breaks a search or means something else than its words; a blank or endless one is refused by its field."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from documents.scope import scope_for
from documents.search import MODES, BadQuery, search
from oncall.models import User
from tests.documents.factories import indexed

pytestmark = pytest.mark.django_db
STRANGE = [
    'redis" OR "x',
    "NEAR(redis clients, 2)",
    "heading : redis",
    "{scope} : kb_1",
    "redis*",
    "-redis +clients ^maxclients",
    "redis AND NOT clients",
    "'; DROP TABLE documents_chunk; --",
    "redis & clients | !maxclients <-> leak:*A",
    "\\ \\' % %s %(x)s {0} $1 ?",
    "\x00redis\x00",
    "redis \ud800",
    "redis " * 1_600,
    "𱍋 𰻞 redis",
    "re\u0301dis ﷺ ½ ① redis",
    "🚒🔥 redis",
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("query", STRANGE)
def test_syntax_is_only_words(alice: User, query: str, mode: str) -> None:
    indexed(alice)
    hits = search(scope_for([alice.pk]), query, mode=mode)  # type: ignore[arg-type]
    assert bool(hits) is ("redis" in query or mode != "lexical")
    assert all("edis" in " ".join(hit.chunk.heading_path) for hit in hits)


@pytest.mark.parametrize("query", ["?!", "()[]{}", '"', "🚒🔥", "。，！", "--", "\x00"])
def test_a_query_without_a_letter_or_digit_finds_nothing(alice: User, query: str) -> None:
    indexed(alice)
    assert search(scope_for([alice.pk]), query) == []


@pytest.mark.parametrize("query", ["", "   ", "\n\t", "\u3000"])
def test_a_blank_query_is_refused(alice: User, query: str) -> None:
    with pytest.raises(BadQuery, match="at least one word") as refused:
        search(scope_for([alice.pk]), query)
    assert refused.value.field == "query" and isinstance(refused.value, ValueError)


def test_a_query_of_ten_thousand_characters_is_the_longest(alice: User) -> None:
    indexed(alice)
    scope = scope_for([alice.pk])
    assert search(scope, ("redis " * 2_000)[:10_000])
    with pytest.raises(BadQuery, match="10000"):
        search(scope, "x" * 10_001)


@pytest.mark.parametrize(("limit", "mode"), [(0, "hybrid"), (101, "hybrid"), (-1, "dense")])
def test_a_limit_out_of_range_is_refused(alice: User, limit: int, mode: str) -> None:
    with pytest.raises(BadQuery, match="limit"):
        search(scope_for([alice.pk]), "redis", limit=limit, mode=mode)  # type: ignore[arg-type]


def test_an_unknown_mode_is_refused(alice: User) -> None:
    with pytest.raises(BadQuery, match="mode"):
        search(scope_for([alice.pk]), "redis", mode="magic")  # type: ignore[arg-type]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(query=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60).filter(str.strip))
def test_any_text(alice: User, query: str) -> None:
    search(scope_for([alice.pk]), query)
