"""What ``diagnosis`` gives the runtime: ``aiops_diagnosis`` with the rows that move with it, and ``aiops_pull``."""

from collections.abc import Iterable
from typing import Any

from diagnosis import pulling  # noqa: F401  (registers the kind that pulls from Alertmanagers)
from diagnosis.models import Diagnosis
from diagnosis.running import run_diagnosis
from diagnosis.transitions import KIND, RESOURCE, follow_jobs, prepare_retry
from jobs.handlers import JobContext, job_handler
from jobs.resources import register_resource


@job_handler(KIND, max_attempts=3, timeout_seconds=900, priority=100, reserved=True)
def aiops_diagnosis(context: JobContext) -> dict[str, Any]:
    """A plain function: it runs in a thread of the worker, and a slot is kept for it while a large import runs."""
    return run_diagnosis(context)


def alive(diagnosis_ids: Iterable[str]) -> set[str]:
    return set(Diagnosis.objects.filter(pk__in=list(diagnosis_ids)).values_list("pk", flat=True))


register_resource(RESOURCE, follow_jobs, prepare_retry, alive, model="diagnosis.diagnosis")
