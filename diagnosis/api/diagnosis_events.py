"""The events of a diagnosis: those of its job, under the diagnosis' own address."""

from django.db.models import QuerySet
from rest_framework.request import Request

from diagnosis.api.diagnosis_finding import diagnosis_in_scope
from jobs import events
from jobs.api.sequences import after_sequence
from jobs.api.stream_view import JobEventStreamView
from jobs.api.views import JobEventsView
from jobs.models import Job, JobEvent
from oncall.api.errors import Conflict


class DiagnosisEventsView(JobEventsView):
    """What happened so far, in order; nothing is left of it once the job was pruned."""

    def get_queryset(self) -> QuerySet[JobEvent]:
        diagnosis = diagnosis_in_scope(self.request, self.kwargs["diagnosis_id"])
        return events.read(diagnosis.job_id, after=after_sequence(self.request))


class DiagnosisEventStreamView(JobEventStreamView):
    """Follow a diagnosis: its events from where you were, and its end. 409 once its job was pruned."""

    def job_to_follow(self, request: Request) -> str:
        job_id = diagnosis_in_scope(request, self.kwargs["diagnosis_id"]).job_id
        if not Job.objects.filter(pk=job_id).exists():
            raise Conflict("The job of this diagnosis was pruned, and its events with it.")
        return job_id
