"""A search sees the owners, bases and documents of its scope, and only indexes that serve; nothing leaks."""

import pytest

from documents.bases import create_base, default_base
from documents.embedding import current_embedder, embed_one
from documents.models import Document
from documents.scope import SearchScope, scope_for
from documents.search import MODES, search
from documents.stores.tables import TableStore
from documents.tokens import query_terms
from documents.transitions import delete_document
from jobs.testing import run_until_idle
from oncall.models import Team, User
from oncall.owners import visible_owner_ids
from tests.documents.factories import RUNBOOK, add, indexed

pytestmark = pytest.mark.django_db


def found(scope: SearchScope, query: str = "redis clients", mode: str = "hybrid") -> set[str]:
    return {hit.chunk.document_id for hit in search(scope, query, mode=mode, limit=100)}  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", MODES)
def test_two_owners_with_the_same_text_never_see_each_other(alice: User, charlie: User, mode: str) -> None:
    hers, his = indexed(alice), indexed(charlie)
    assert found(scope_for(visible_owner_ids(alice)), mode=mode) == {hers.pk}
    assert found(scope_for(visible_owner_ids(charlie)), mode=mode) == {his.pk}


def test_a_team_is_seen_by_its_members(team: Team, alice: User, bob: User, rita: User, charlie: User) -> None:
    add(default_base(team.pk))
    own = indexed(alice)
    ours = Document.objects.get(knowledge_base__owner_user_id=team.pk)
    seen = {user.username: found(scope_for(visible_owner_ids(user))) for user in (alice, bob, rita, charlie)}
    assert seen == {"alice": {ours.pk, own.pk}, "bob": {ours.pk}, "rita": {ours.pk}, "charlie": set()}


@pytest.mark.parametrize("mode", MODES)
def test_bases_and_documents_narrow_it_before_the_cut(alice: User, mode: str) -> None:
    first = indexed(alice)
    # More chunks than either retriever returns, all of them nearer to the query.
    near = "\n\n".join(f"## Redis clients {number}\n\nredis clients" for number in range(220))
    add(first.knowledge_base, "near.md", near)
    second = add(create_base(owner_id=alice.pk, name="Second"), "other.md", RUNBOOK).document
    run_until_idle()
    owners = [alice.pk]
    assert found(scope_for(owners, document_ids=[first.pk]), mode=mode) == {first.pk}
    assert found(scope_for(owners, knowledge_base_ids=[second.knowledge_base_id]), mode=mode) == {second.pk}


@pytest.mark.parametrize("mode", MODES)
def test_ids_of_others_find_nothing(alice: User, charlie: User, mode: str) -> None:
    hers = indexed(alice)
    indexed(charlie)
    outsider = [charlie.pk]
    assert found(scope_for(outsider, document_ids=[hers.pk, "doc_x"]), mode=mode) == set()
    assert found(scope_for(outsider, knowledge_base_ids=[hers.knowledge_base_id, "kb_x"]), mode=mode) == set()
    assert found(scope_for([]), mode=mode) == set()
    # Even a scope that was not made by ``scope_for`` finds nothing of a base that its owners do not have.
    forged = SearchScope(frozenset(outsider), (hers.knowledge_base_id,))
    assert found(forged, mode=mode) == set()


@pytest.mark.parametrize("mode", MODES)
def test_the_next_query_of_any_process_misses_what_was_deleted(alice: User, mode: str) -> None:
    """Another process has a store of its own, with matrices that it loaded before."""
    document, kept = indexed(alice), indexed(alice, "kept.md", "# Kept\n\nredis clients")
    scope, other_process = scope_for([alice.pk]), TableStore()
    embedder = current_embedder()
    vector = embed_one(embedder, "redis clients")

    def rankings() -> list[set[int]]:
        near = other_process.dense(scope, vector, embedder=embedder.fingerprint, limit=200)
        return [set(near), set(other_process.lexical(scope, query_terms("redis clients"), limit=200))]

    gone = set(document.chunks.values_list("pk", flat=True))
    assert all(gone & ranking for ranking in rankings()) and document.pk in found(scope, mode=mode)
    delete_document(document.pk)
    assert not any(gone & ranking for ranking in rankings())
    assert found(scope, mode=mode) == {kept.pk}
