"""The domain rows that jobs work for: how such a row moves with its job, in the same transaction.

A domain app registers its ``resource_type`` in its ``job_handlers`` module. ``jobs`` never imports a domain.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from django.db import transaction

from jobs.errors import message_of


@dataclass(frozen=True, slots=True)
class Change:
    """One job that changed status. ``from_status`` is None for a new job; ``epoch`` is the attempt it belongs to."""

    job_id: str
    owner_user_id: int | None
    resource_type: str
    resource_id: str
    from_status: str | None
    to_status: str
    epoch: int
    error: str

    @classmethod
    def of(cls, job: "_Changed", *, from_status: str | None, to_status: str, error: str = "") -> "Change":
        """What became of ``job``, a row or a claim of one."""
        return cls(
            job_id=job.id,
            owner_user_id=job.owner_user_id,
            resource_type=job.resource_type,
            resource_id=job.resource_id,
            from_status=from_status,
            to_status=to_status,
            epoch=job.epoch,
            error=error,
        )


class _Changed(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def owner_user_id(self) -> int | None: ...
    @property
    def resource_type(self) -> str: ...
    @property
    def resource_id(self) -> str: ...
    @property
    def epoch(self) -> int: ...


OnChange = Callable[[Sequence[Change], datetime], None]
PrepareRetry = Callable[[str], str]
Alive = Callable[[Iterable[str]], set[str]]


@dataclass(frozen=True, slots=True)
class Resource:
    on_change: OnChange
    prepare_retry: PrepareRetry | None
    alive: Alive | None
    model: str


class NotRetryable(Exception):
    """This job cannot be retried by hand; the text says why. A domain's ``prepare_retry`` may raise it too."""

    def __init__(self, reason: str, *, successor_id: str | None = None) -> None:
        super().__init__(reason)
        self.successor_id = successor_id


class HookFailed(Exception):
    """An ``on_change`` raised; its savepoint is rolled back, and so must be the transitions it was told of."""

    def __init__(self, resource_type: str, error: BaseException) -> None:
        super().__init__(f"{resource_type}: {message_of(error)}")
        self.resource_type = resource_type
        self.error = error


_registry: dict[str, Resource] = {}


def register_resource(
    resource_type: str,
    on_change: OnChange,
    prepare_retry: PrepareRetry | None = None,
    alive: Alive | None = None,
    model: str = "",
) -> None:
    """Say how rows of ``resource_type`` follow their jobs.

    ``on_change(changes, now)`` gets all changes of one transaction and runs inside it, in a savepoint: synchronous,
    this database only, no network, no files, harmless when the row is gone. It is called for every change of status.
    ``prepare_retry(resource_id)`` returns the id that a job retried by hand works for (default: the same).
    ``alive(resource_ids)`` returns those that still exist: their jobs are their history and are not pruned.
    ``model`` is the label of the model whose rows these are (``documents.indextask``): the admin links to them.
    """
    if not resource_type:
        raise ValueError("A resource type has a name.")
    if resource_type in _registry:
        raise ValueError(f'Resource type "{resource_type}" is already registered.')
    _registry[resource_type] = Resource(on_change, prepare_retry, alive, model)


def unregister_resource(resource_type: str) -> None:
    """Forget a resource type; for tests that register their own."""
    _registry.pop(resource_type, None)


def resource_for(resource_type: str) -> Resource | None:
    return _registry.get(resource_type)


def apply_changes(changes: Sequence[Change], now: datetime) -> None:
    """Tell each domain of its changes, inside the transaction that made them. Raises ``HookFailed``."""
    by_type: dict[str, list[Change]] = {}
    for change in changes:
        if change.resource_type in _registry:
            by_type.setdefault(change.resource_type, []).append(change)
    for resource_type, told in by_type.items():
        try:
            with transaction.atomic():
                _registry[resource_type].on_change(told, now)
        except (Exception, SystemExit) as error:
            raise HookFailed(resource_type, error) from error
