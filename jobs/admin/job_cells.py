"""What stands in the cells of a job, in the list and on its page."""

from typing import Any

from django.utils.safestring import SafeString

from jobs.admin.display import (
    NOTHING,
    admin_link,
    as_json,
    breakable,
    exactly,
    fold,
    job_link,
    kind_name,
    short_id,
    shortened,
    two_lines,
    when,
    whole_id,
)
from jobs.models import Job
from jobs.resources import resource_for
from jobs.states import RUNNING
from oncall.admin_site import display, status_mark

LONGEST_ERROR = 40


class JobCells:
    @display(description="Job", header=True)
    def job(self, job: Job) -> list[Any]:
        return [kind_name(job.kind), short_id(job.pk)]

    @display(description="Status")
    def state(self, job: Job) -> str:
        asked = job.status == RUNNING and job.cancel_requested_at is not None
        return status_mark(job.status, text="asked to stop" if asked else "")

    @display(description="Owner")
    def owner(self, job: Job) -> str:
        return "system" if job.owner_user is None else str(job.owner_user)

    @display(description="Resource")
    def resource(self, job: Job) -> str:
        return two_lines(job.resource_type, _linked(job, short_id(job.resource_id))) if job.resource_type else NOTHING

    @display(description="Resource")
    def whole_resource(self, job: Job) -> str:
        if not job.resource_type:
            return NOTHING
        return two_lines(breakable(job.resource_type), _linked(job, whole_id(job.resource_id)))

    @display(description="Tries")
    def attempts(self, job: Job) -> str:
        return f"{job.attempt}/{job.max_attempts}"

    @display(description="Created, ended")
    def times(self, job: Job) -> str:
        return two_lines(when(job.created_at), when(job.completed_at))

    @display(description="Error")
    def error(self, job: Job) -> str:
        return shortened(job.error_message, LONGEST_ERROR) if job.error_message else NOTHING

    @display(description="Kind")
    def kind_text(self, job: Job) -> str:
        return breakable(job.kind)

    @display(description="Id")
    def full_id(self, job: Job) -> str:
        return whole_id(job.pk)

    @display(description="Progress")
    def progress_text(self, job: Job) -> str:
        return f"{job.progress:.0%} {job.progress_message}".strip()

    @display(description="Error")
    def whole_error(self, job: Job) -> str:
        return breakable(job.error_message) if job.error_message else NOTHING

    @display(description="Result")
    def result_text(self, job: Job) -> str:
        text = as_json(job.result)
        return fold("JSON", text) if text else NOTHING

    @display(description="Retry of")
    def retry_of(self, job: Job) -> str:
        return job_link(job.retry_of_job_id) if job.retry_of_job_id else NOTHING

    @display(description="Retried as")
    def retried_as(self, job: Job) -> str:
        successor = successor_of(job.pk)
        return job_link(successor) if successor else NOTHING

    @display(description="Created")
    def created_exactly(self, job: Job) -> str:
        return exactly(job.created_at)

    @display(description="Available from")
    def available_exactly(self, job: Job) -> str:
        return exactly(job.available_at)

    @display(description="Started")
    def started_exactly(self, job: Job) -> str:
        return exactly(job.started_at)

    @display(description="Ended")
    def completed_exactly(self, job: Job) -> str:
        return exactly(job.completed_at)

    @display(description="Cancel requested")
    def cancel_requested_exactly(self, job: Job) -> str:
        return exactly(job.cancel_requested_at)

    @display(description="Changed")
    def updated_exactly(self, job: Job) -> str:
        return exactly(job.updated_at)

    @display(description="Lease of worker")
    def lease(self, job: Job) -> str:
        return whole_id(job.lease_owner) if job.lease_owner else NOTHING

    @display(description="Lease until")
    def lease_expires(self, job: Job) -> str:
        return exactly(job.lease_expires_at)


def _linked(job: Job, text: SafeString) -> SafeString:
    """The resource as a link to its page in the admin, where its domain has one."""
    resource = resource_for(job.resource_type)
    return admin_link(resource.model, job.resource_id, text) if resource is not None and resource.model else text


def successor_of(job_id: str) -> str | None:
    """The id of the job that a retry by hand made of this one."""
    return Job.objects.filter(retry_of_job_id=job_id).values_list("pk", flat=True).first()
