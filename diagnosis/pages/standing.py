"""How a diagnosis stands, in words: made of its row and its job's, for the page and for the stream alike."""

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from diagnosis.models import Diagnosis
from diagnosis.pages.words import stage_number, stage_words
from diagnosis.states import DIAGNOSIS_ACTIVE, RUNNING, Stage
from jobs.models import Job


@dataclass(frozen=True, slots=True)
class Standing:
    """``stage`` is the number of the stage it is in, from 1; ``again_at`` when a failed attempt is repeated."""

    diagnosis: Diagnosis
    active: bool
    stopping: bool
    stage: int
    stages: int
    doing: str
    attempt: int
    attempts: int
    again_at: datetime | None


def standing_of(diagnosis: Diagnosis, job: Job | None, *, now: datetime | None = None) -> Standing:
    """Without its job (pruned, or another's view of it) the diagnosis speaks for itself."""
    active = diagnosis.status in DIAGNOSIS_ACTIVE
    waits = job is not None and diagnosis.status != RUNNING and active and job.available_at > (now or timezone.now())
    # The job says in which stage it is, the diagnosis which stage has left its result.
    begun = job.progress_message if job is not None else ""
    stage = max(begun, diagnosis.stage, key=stage_number)
    return Standing(
        diagnosis=diagnosis,
        active=active,
        stopping=active and job is not None and job.cancel_requested_at is not None,
        stage=stage_number(stage),
        stages=len(Stage.ALL),
        doing=stage_words(stage),
        attempt=job.attempt if job is not None else 0,
        attempts=job.max_attempts if job is not None else 0,
        again_at=job.available_at if waits and job is not None else None,
    )
