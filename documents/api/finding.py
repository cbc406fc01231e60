"""Rows in the caller's scope, or the one 403; and the domain's refusals as answers."""

from collections.abc import Iterator, Set
from contextlib import contextmanager

from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from rest_framework.request import Request

from documents.conflicts import DocumentConflict
from documents.models import Chunk, Document, IndexTask, KnowledgeBase
from oncall.api.errors import Conflict, Forbidden
from oncall.api.owned import find_owned, scope_of
from oncall.models import Membership, User
from oncall.owners import owner_ids_with_role


def admin_scope(request: Request) -> Set[int]:
    """The owners for whom the caller is admin: their bases may be made, changed and deleted."""
    return owner_ids_with_role(user_of(request), Membership.Role.ADMIN)


def user_of(request: Request) -> User:
    assert isinstance(request.user, User)  # The default permission lets nobody else in.
    return request.user


def base_in_scope(request: Request, base_id: str, *, steer: bool = False) -> KnowledgeBase:
    return find_owned(KnowledgeBase.objects.all(), base_id, scope_of(request, steer=steer))


def documents_of(base_id: str) -> QuerySet[Document]:
    """The documents of a base with ``chunk_count``: counted, never kept as a number that could drift."""
    live = Chunk.objects.filter(document_id=OuterRef("pk"), version=OuterRef("active_version")).order_by()
    counted = Subquery(live.values("document_id").annotate(n=Count("pk")).values("n"), output_field=IntegerField())
    return Document.objects.filter(knowledge_base_id=base_id).annotate(chunk_count=Coalesce(counted, 0))


def document_in_scope(request: Request, base_id: str, document_id: str, *, steer: bool = False) -> Document:
    found = documents_of(base_id).select_related("knowledge_base")
    owners = scope_of(request, steer=steer)
    return find_owned(found, document_id, owners, owner_field="knowledge_base__owner_user_id")


def task_in_scope(request: Request, base_id: str, document_id: str, task_id: str, *, steer: bool = False) -> IndexTask:
    of_document = IndexTask.objects.filter(document_id=document_id, document__knowledge_base_id=base_id)
    owners = scope_of(request, steer=steer)
    found = of_document.select_related("document__knowledge_base")
    return find_owned(found, task_id, owners, owner_field="document__knowledge_base__owner_user_id")


@contextmanager
def refusals() -> Iterator[None]:
    """What stands in the way is 409 and named; a row that went under the request is the same 403 as ever."""
    try:
        yield
    except DocumentConflict as conflict:
        raise Conflict(str(conflict)) from None
    except ObjectDoesNotExist:
        raise Forbidden from None
