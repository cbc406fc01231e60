"""Give work to the runtime: what other apps call.

``enqueue`` runs in the caller's transaction, so that the domain row and its job exist together or not at all.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import connection, transaction

from jobs import sql
from jobs.handlers import HandlerSpec, handler_for
from jobs.limits import check_limits
from jobs.models import Job
from jobs.payloads import InvalidJson, to_json
from jobs.resources import Change, NotRetryable, apply_changes, resource_for
from jobs.runtime.wakeup import wake_after_commit
from jobs.states import CANCELLED, FAILED, QUEUED
from jobs.transitions import request_cancel_for as cancel_jobs
from oncall.api.ids import new_id

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractBaseUser

__all__ = ["ActiveJobExists", "UnknownKind", "cancel_jobs", "enqueue", "enqueue_many", "retry_by_hand"]

NO_RESOURCE = ("", "")
MAX_RESOURCE_NAME = 100


class UnknownKind(ValueError):
    """No app has a handler for this kind, so nobody would ever run the job."""


class ActiveJobExists(Exception):
    """The resource has a job that is queued or running; ``job`` is that one."""

    def __init__(self, job: Job) -> None:
        super().__init__(f"{job.resource_type} {job.resource_id} has an active job already: {job.pk}.")
        self.job = job


def enqueue(
    kind: str,
    *,
    owner: "AbstractBaseUser | int | None",
    resource: tuple[str, str] = NO_RESOURCE,
    payload: Mapping[str, Any] | None = None,
    priority: int | None = None,
    max_attempts: int | None = None,
    timeout_seconds: float | None = None,
    available_at: datetime | None = None,
    raise_if_active: bool = False,
    now: datetime | None = None,
) -> Job:
    """Queue one job of ``kind`` and return it, with ``created``.

    When the resource has an active job, that one is returned with ``created`` False, or ``ActiveJobExists`` is raised
    if asked for. ``owner`` None is the system. Limits come from the handler unless given; ``payload`` is JSON of at
    most 256 KB. Raises ``UnknownKind``, ``InvalidJson``, ``ValueError`` for a limit that makes no sense.
    """
    spec = _spec(kind)
    row = _row(
        spec,
        owner=owner,
        resource=resource,
        payload=payload,
        priority=spec.priority if priority is None else priority,
        max_attempts=spec.max_attempts if max_attempts is None else max_attempts,
        timeout_seconds=spec.timeout_seconds if timeout_seconds is None else timeout_seconds,
        available_at=available_at,
    )
    (job,) = _insert([row], now=now)
    if raise_if_active and not job.created:
        raise ActiveJobExists(job)
    return job


def enqueue_many(
    kind: str,
    *,
    owner: "AbstractBaseUser | int | None",
    items: Iterable[Mapping[str, Any]],
    now: datetime | None = None,
) -> list[Job]:
    """Queue one job per item, in one transaction; the answer has the items' order.

    An item has ``resource`` (a pair) and ``payload``, each optional. Raises as ``enqueue``; then nothing was queued.
    """
    spec = _spec(kind)
    rows = [
        _row(
            spec,
            owner=owner,
            resource=item.get("resource", NO_RESOURCE),
            payload=item.get("payload"),
            priority=spec.priority,
            max_attempts=spec.max_attempts,
            timeout_seconds=spec.timeout_seconds,
            available_at=None,
        )
        for item in items
    ]
    return _insert(rows, now=now) if rows else []


def retry_by_hand(job_id: str, *, now: datetime | None = None) -> Job:
    """A new job that does the work of a failed or cancelled one again; returns it.

    Raises ``Job.DoesNotExist``; ``NotRetryable`` when the source has another status or a successor already (named);
    ``ActiveJobExists`` when another job works for the same resource; ``UnknownKind``.
    """
    with transaction.atomic():
        source = Job.objects.select_for_update().get(pk=job_id)
        _refuse_unless_retryable(source)
        spec = _spec(source.kind)
        resource = resource_for(source.resource_type)
        resource_id = source.resource_id
        if resource is not None and resource.prepare_retry is not None:
            resource_id = resource.prepare_retry(resource_id)
        row = _row(
            spec,
            owner=source.owner_user_id,
            resource=(source.resource_type, resource_id),
            payload=source.payload,
            priority=source.priority,
            max_attempts=source.max_attempts,
            timeout_seconds=source.timeout_seconds,
            available_at=None,
            retry_of=source.pk,
        )
        (job,) = _insert([row], now=now)
        if not job.created:
            raise ActiveJobExists(job)
    return job


def _refuse_unless_retryable(source: Job) -> None:
    if source.status not in (FAILED, CANCELLED):
        raise NotRetryable(f"Only a failed or cancelled job can be retried; this one is {source.status}.")
    successor = Job.objects.filter(retry_of_job_id=source.pk).values_list("pk", flat=True).first()
    if successor is not None:
        raise NotRetryable(f"This job was retried already, as {successor}.", successor_id=successor)


def _spec(kind: str) -> HandlerSpec:
    spec = handler_for(kind)
    if spec is None:
        raise UnknownKind(f'No handler is registered for job kind "{kind}".')
    return spec


def _row(
    spec: HandlerSpec,
    *,
    owner: "AbstractBaseUser | int | None",
    resource: tuple[str, str],
    payload: Mapping[str, Any] | None,
    priority: int,
    max_attempts: int,
    timeout_seconds: float,
    available_at: datetime | None,
    retry_of: str | None = None,
) -> dict[str, Any]:
    """The values of one new row, checked; the times are set when it is written."""
    resource_type, resource_id = resource
    _check_resource(resource_type, resource_id)
    check_limits(max_attempts=max_attempts, timeout_seconds=timeout_seconds, priority=priority)
    if payload is not None and not isinstance(payload, Mapping):
        raise InvalidJson(f"The payload is a JSON object, not {type(payload).__name__}.")
    return {
        "id": new_id("job"),
        "owner": owner if owner is None or isinstance(owner, int) else owner.pk,
        "kind": spec.kind,
        "resource_type": resource_type,
        "resource_id": resource_id,
        "payload": to_json(payload or {}, what="payload", mask=False),
        "priority": priority,
        "max_attempts": max_attempts,
        "timeout_seconds": timeout_seconds,
        "available_at": available_at,
        "retry_of": retry_of,
    }


def _check_resource(resource_type: str, resource_id: str) -> None:
    if bool(resource_type) != bool(resource_id):
        raise ValueError("A resource has both a type and an id, or neither.")
    for name in (resource_type, resource_id):
        if not isinstance(name, str) or len(name) > MAX_RESOURCE_NAME or "\x00" in name:
            raise ValueError(f"A resource's type and id are texts of at most {MAX_RESOURCE_NAME} characters, no NUL.")


def _insert(rows: Sequence[dict[str, Any]], *, now: datetime | None) -> list[Job]:
    """Write new rows, tell their domain, and return a job for each: the new one or the active one in its way."""
    with transaction.atomic():
        moment = sql.current_time(now)
        for row in rows:
            due = row["available_at"] is None or row["available_at"] <= moment
            row |= {
                "available_at": sql.stamp(row["available_at"] or moment),
                "now": sql.stamp(moment),
                "fair_tag": 0 if due else None,
            }
        _write(rows)
        written = Job.objects.in_bulk([row["id"] for row in rows])
        for job in written.values():
            job.created = True
        jobs = [written.get(row["id"]) or _in_the_way(row) for row in rows]
        apply_changes([Change.of(job, from_status=None, to_status=QUEUED) for job in jobs if job.created], moment)
        wake_after_commit()
    return jobs


def _write(rows: Sequence[dict[str, Any]]) -> None:
    """Resources in one order everywhere: two batches that name the same ones must not wait for each other."""
    in_order = sorted(rows, key=lambda row: (row["resource_type"], row["resource_id"]))
    with connection.cursor() as cursor:
        cursor.executemany(sql.INSERT_JOB, in_order)


def _in_the_way(row: dict[str, Any]) -> Job:
    """The active job of the resource, in whose way ``row`` was; or the new one, if the other ended just now."""
    same = (
        Job.objects.active().for_resource(row["resource_type"], row["resource_id"]).filter(owner_user_id=row["owner"])
    )
    while (active := same.first()) is None:
        _write([row])
    active.created = active.pk == row["id"]
    return active
