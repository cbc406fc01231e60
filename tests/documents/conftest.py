"""Fixtures of ``documents``: bases of a person and of the team, and an embedder to look at."""

from collections.abc import Callable

import pytest

from documents.bases import default_base
from documents.models import KnowledgeBase
from oncall.models import Team, User
from tests.documents.factories import WatchedEmbedder


@pytest.fixture
def base(alice: User) -> KnowledgeBase:
    return default_base(alice.pk)


@pytest.fixture
def team_base(team: Team) -> KnowledgeBase:
    return default_base(team.pk)


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Callable[..., WatchedEmbedder]:
    """``watch(before)`` puts a ``WatchedEmbedder`` in the place of the embedder that index jobs use."""

    def put(before: Callable[[int], None] = lambda batch: None) -> WatchedEmbedder:
        embedder = WatchedEmbedder(before)
        monkeypatch.setattr("documents.indexing.current_embedder", lambda: embedder)
        return embedder

    return put
