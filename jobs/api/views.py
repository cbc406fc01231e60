"""The calls under ``/background-jobs``. Each finds its row inside the caller's scope, or answers 403 to all alike."""

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.generics import GenericAPIView, ListAPIView, RetrieveAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from jobs import enqueue, events, transitions
from jobs.api.filters import JobFilters
from jobs.api.sequences import AFTER_SEQUENCE, after_sequence, after_sequence_parameter
from jobs.api.serializers import JobAttemptSerializer, JobEventSerializer, JobSerializer
from jobs.models import Job, JobAttempt, JobEvent
from jobs.resources import NotRetryable
from oncall.api.errors import Conflict, Forbidden
from oncall.api.owned import find_owned, scope_of
from oncall.api.schema import errors


def job_in_scope(request: Request, job_id: str, *, steer: bool = False) -> Job:
    """The job if the caller may see it (``steer``: change it), without its private payload; else ``Forbidden``."""
    return find_owned(Job.objects.defer("payload"), job_id, scope_of(request, steer=steer))


class JobsView(ListAPIView):
    """The jobs that you may see, newest first. ``createdAfter`` and ``createdBefore`` leave out the moment itself."""

    serializer_class = JobSerializer
    filterset_class = JobFilters

    def get_queryset(self) -> QuerySet[Job]:
        return Job.objects.owned_by(scope_of(self.request)).defer("payload")


class JobView(RetrieveAPIView):
    """One job."""

    serializer_class = JobSerializer

    def get_object(self) -> Job:
        return job_in_scope(self.request, self.kwargs["job_id"])


class SteerJobView(GenericAPIView):
    """A verb on one job, for its owner and for responders of its team."""

    serializer_class = JobSerializer

    def steer(self, transition: Callable[[str], Job]) -> Job:
        job = job_in_scope(self.request, self.kwargs["job_id"], steer=True)
        try:
            return transition(job.pk)
        except Job.DoesNotExist:  # Pruned since.
            raise Forbidden from None


class CancelJobView(SteerJobView):
    """Stop a job: one that waits is cancelled at once, one that runs is asked to, a finished one stays as it is."""

    @extend_schema(request=None, responses={200: JobSerializer})
    def post(self, request: Request, job_id: str) -> Response:
        return Response(JobSerializer(self.steer(transitions.request_cancel)).data)


class RetryJobView(SteerJobView):
    """Do the work of a failed or cancelled job again, as a new job. A job has one successor."""

    @extend_schema(request=None, responses={202: JobSerializer, **errors(409)})
    def post(self, request: Request, job_id: str) -> Response:
        try:
            successor = self.steer(enqueue.retry_by_hand)
        except (NotRetryable, enqueue.ActiveJobExists, enqueue.UnknownKind) as refusal:
            raise Conflict(str(refusal)) from None
        return Response(JobSerializer(successor).data, status=status.HTTP_202_ACCEPTED)


class JobEventsView(ListAPIView):
    """What the job said, in order."""

    queryset = JobEvent.objects.none()  # For the schema.
    serializer_class = JobEventSerializer
    ordering = ("sequence",)
    extra_parameters = (AFTER_SEQUENCE,)

    def get_queryset(self) -> QuerySet[JobEvent]:
        job = job_in_scope(self.request, self.kwargs["job_id"])
        return events.read(job.pk, after=after_sequence(self.request))

    @extend_schema(parameters=[after_sequence_parameter])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)


class JobAttemptsView(ListAPIView):
    """Each run of the job by a worker, in order, with how it ended."""

    queryset = JobAttempt.objects.none()  # For the schema.
    serializer_class = JobAttemptSerializer
    ordering = ("epoch",)

    def get_queryset(self) -> QuerySet[JobAttempt]:
        job = job_in_scope(self.request, self.kwargs["job_id"])
        return JobAttempt.objects.filter(job_id=job.pk).defer("traceback")
