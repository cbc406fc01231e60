"""Whose knowledge a search may see. Every search takes a ``SearchScope``, and ``scope_for`` is what makes one."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db.models import F, QuerySet

from documents.models import Chunk, KnowledgeBase


@dataclass(frozen=True, slots=True)
class SearchScope:
    """Owners, their bases, and (if not None) the only documents wanted. An empty scope finds nothing."""

    owner_ids: frozenset[int]
    base_ids: tuple[str, ...]
    document_ids: frozenset[str] | None = None


def scope_for(
    owner_ids: Iterable[int],
    *,
    knowledge_base_ids: Collection[str] | None = None,
    document_ids: Collection[str] | None = None,
) -> SearchScope:
    """The scope of ``owner_ids`` (``oncall.owners.visible_owner_ids``); ids of others in the two lists drop out."""
    owners = frozenset(owner_ids)
    bases = KnowledgeBase.objects.filter(owner_user_id__in=owners)
    if knowledge_base_ids is not None:
        bases = bases.filter(pk__in=list(knowledge_base_ids))
    wanted = None if document_ids is None else frozenset(document_ids)
    return SearchScope(owners, tuple(bases.order_by("pk").values_list("pk", flat=True)), wanted)


def live_chunks(scope: SearchScope) -> QuerySet[Chunk]:
    """The chunks that ``scope`` may see, of the versions that serve now. What is not in here is never returned."""
    chunks = Chunk.objects.filter(
        document__knowledge_base_id__in=scope.base_ids,
        document__knowledge_base__owner_user_id__in=scope.owner_ids,
        document__active_version=F("version"),
    )
    return chunks if scope.document_ids is None else chunks.filter(document_id__in=scope.document_ids)
