"""The durable job that pulls from an Alertmanager every minute: kind ``aiops_pull``, one for each enabled source.

It snoozes between two pulls, and ends once a day so that its history can be pruned; the end of one begins the next, in
the same transaction. Whoever cancels it stops the pulls until the source is changed or enabled again.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.utils import timezone

from diagnosis.models import DataSource
from diagnosis.pull import pull
from jobs.enqueue import cancel_jobs, enqueue
from jobs.handlers import JobCancelled, JobContext, Snooze, job_handler
from jobs.models import Job
from jobs.resources import Change, register_resource
from jobs.states import FAILED, SUCCEEDED

KIND: Final = "aiops_pull"
RESOURCE: Final = "data_source"
SECONDS_BETWEEN: Final = 60
LONGEST: Final = timedelta(days=1)


def follow_source(source: DataSource) -> None:
    """Start or stop the pulls as the row says; in the caller's transaction."""
    if source.enabled and source.kind == DataSource.Kind.ALERTMANAGER:
        enqueue(KIND, owner=source.owner_user_id, resource=(RESOURCE, source.pk))
    else:
        stop_pulling([source.pk])


def stop_pulling(source_ids: Sequence[str]) -> None:
    cancel_jobs(RESOURCE, source_ids)


@job_handler(KIND, timeout_seconds=120)
def aiops_pull(context: JobContext) -> dict[str, Any]:
    """Pull once, then sleep; a source that fails is tried again a minute later like any other."""
    source = pulled_sources([context.job.resource_id]).first()
    if source is None:
        raise JobCancelled("The source is gone or disabled.")
    taken = pull(source)
    said = "The source failed." if taken is None else f"{taken.received} active alerts, {taken.created} of them new."
    context.progress(0, said)
    began = Job.objects.values_list("created_at", flat=True).get(pk=context.job.id)
    if timezone.now() - began < LONGEST:
        raise Snooze(SECONDS_BETWEEN)
    return {"said": said}


def pulled_sources(ids: Iterable[str]) -> Any:
    """Those of the sources that are to be pulled from."""
    return DataSource.objects.filter(pk__in=list(ids), kind=DataSource.Kind.ALERTMANAGER, enabled=True)


def begin_next(changes: Sequence[Change], now: datetime) -> None:
    """A pull that ended, well or not, is followed by one a minute later; a cancelled one is not."""
    ended = [change.resource_id for change in changes if change.to_status in (SUCCEEDED, FAILED)]
    for source in pulled_sources(ended):
        later = now + timedelta(seconds=SECONDS_BETWEEN)
        enqueue(KIND, owner=source.owner_user_id, resource=(RESOURCE, source.pk), available_at=later, now=now)


register_resource(RESOURCE, begin_next)
