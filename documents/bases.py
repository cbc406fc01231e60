"""Knowledge bases: made, changed, found. (Deleting one also cancels jobs, so it is in ``documents.transitions``.)"""

from collections.abc import Collection
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils import timezone

from documents.conflicts import BaseConflict
from documents.models import KnowledgeBase

DEFAULT_NAME = "Default"


def default_base(owner_id: int) -> KnowledgeBase:
    """The default base of an owner, made now when there is none yet."""
    ensure_default_bases([owner_id])
    return KnowledgeBase.objects.get(owner_user_id=owner_id, is_default=True)


def ensure_default_bases(owner_ids: Collection[int]) -> None:
    """Give each owner that has none its default base; two at once make one."""
    bases = KnowledgeBase.objects.filter(owner_user_id__in=owner_ids)
    missing = set(owner_ids) - set(bases.filter(is_default=True).values_list("owner_user_id", flat=True))
    if not missing:
        return
    named = bases.filter(owner_user_id__in=missing, name=DEFAULT_NAME)
    taken = set(named.values_list("owner_user_id", flat=True))
    named.update(is_default=True)
    new = [KnowledgeBase(owner_user_id=owner, name=DEFAULT_NAME, is_default=True) for owner in sorted(missing - taken)]
    KnowledgeBase.objects.bulk_create(new, ignore_conflicts=True)


def create_base(*, owner_id: int, name: str, description: str = "") -> KnowledgeBase:
    """A new base. Raises ``BaseConflict`` when the owner has one of that name."""
    try:
        with transaction.atomic():
            return KnowledgeBase.objects.create(owner_user_id=owner_id, name=name, description=description)
    except IntegrityError:
        raise _name_taken(name) from None


def change_base(base_id: str, *, now: datetime | None = None, **values: str) -> KnowledgeBase:
    """Change ``name`` or ``description``. Raises ``KnowledgeBase.DoesNotExist``, ``BaseConflict``."""
    try:
        with transaction.atomic():
            KnowledgeBase.objects.filter(pk=base_id).update(**values, updated_at=now or timezone.now())
    except IntegrityError:
        raise _name_taken(values.get("name", "")) from None
    return KnowledgeBase.objects.get(pk=base_id)


def _name_taken(name: str) -> BaseConflict:
    return BaseConflict(f'There is a knowledge base named "{name}" already.')
