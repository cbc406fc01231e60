"""Diagnoses in the caller's scope, or the one 403; and the domain's refusals as answers."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.exceptions import ObjectDoesNotExist
from django.db.models import OuterRef, QuerySet, Subquery
from rest_framework.request import Request
from rest_framework.response import Response

from diagnosis.api.diagnosis_serializers import DiagnosingSerializer
from diagnosis.models import Diagnosis
from diagnosis.transitions import ActiveDiagnosis
from jobs.enqueue import ActiveJobExists, UnknownKind
from jobs.models import Job
from jobs.resources import NotRetryable
from oncall.api.errors import Conflict, Forbidden
from oncall.api.owned import find_owned, scope_of


def diagnoses() -> QuerySet[Diagnosis]:
    """All of them, each with the status of its job (null once the job was pruned)."""
    job = Job.objects.filter(pk=OuterRef("job_id")).values("status")
    return Diagnosis.objects.annotate(job_status=Subquery(job))


def diagnosis_in_scope(request: Request, diagnosis_id: str, *, steer: bool = False) -> Diagnosis:
    return find_owned(diagnoses(), diagnosis_id, scope_of(request, steer=steer))


def answer_with(diagnosis_id: str, *, status: int) -> Response:
    """The diagnosis as it is now, and its job."""
    diagnosis = diagnoses().get(pk=diagnosis_id)
    job = Job.objects.filter(pk=diagnosis.job_id).defer("payload").first()
    body = {"diagnosis": diagnosis, "background_job": job}
    return Response(DiagnosingSerializer(body).data, status=status)


@contextmanager
def refusals() -> Iterator[None]:
    """What stands in the way is 409 and named; a row that went under the request is the same 403 as ever."""
    try:
        yield
    except (ActiveDiagnosis, ActiveJobExists, NotRetryable, UnknownKind) as refusal:
        raise Conflict(str(refusal)) from None
    except ObjectDoesNotExist:
        raise Forbidden from None
