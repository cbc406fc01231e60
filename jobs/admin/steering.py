"""Cancel and retry from the admin: one job or many, each by its own transition, and a sentence that says what became
of them."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

from jobs.enqueue import ActiveJobExists, UnknownKind, retry_by_hand
from jobs.models import Job
from jobs.resources import HookFailed, NotRetryable
from jobs.states import CANCELLED, RUNNING, TERMINAL
from jobs.transitions import request_cancel

GONE = "it is gone"


class Done(NamedTuple):
    """What became of one job: a word, or, where nothing changed, the reason; ``whole`` is the full sentence of it."""

    word: str
    skipped: str = ""
    whole: str = ""


class Report(NamedTuple):
    text: str
    changed: list[str]


def cancel(job_id: str) -> Done:
    before = Job.objects.filter(pk=job_id).values_list("status", flat=True).first()
    if before in TERMINAL:
        return Done("skipped", "already finished", f"The job is {before} already.")
    try:
        after = request_cancel(job_id).status
    except Job.DoesNotExist:
        return Done("skipped", GONE)
    except HookFailed as failed:
        return Done("skipped", "its domain refused", str(failed))
    if after == CANCELLED:
        return Done("cancelled")
    return Done("asked to stop") if after == RUNNING else Done("skipped", "already finished")


def retry(job_id: str) -> Done:
    try:
        retry_by_hand(job_id)
    except Job.DoesNotExist:
        return Done("skipped", GONE)
    except NotRetryable as refusal:
        return Done("skipped", "retried already" if refusal.successor_id else "not failed or cancelled", str(refusal))
    except ActiveJobExists as refusal:
        return Done("skipped", "its resource has an active job", str(refusal))
    except UnknownKind as refusal:
        return Done("skipped", "its kind has no handler", str(refusal))
    except HookFailed as failed:
        return Done("skipped", "its domain refused", str(failed))
    return Done("retried as a new job")


def steer(job_ids: Iterable[str], do: Callable[[str], Done]) -> Report:
    """Do it to each job; ``3 cancelled, 2 asked to stop, 1 skipped (already finished)``."""
    done = {job_id: do(job_id) for job_id in job_ids}
    changed = [job_id for job_id, what in done.items() if what.word != "skipped"]
    if len(done) == 1 and not changed:
        (what,) = done.values()
        return Report(what.whole or f"Skipped: {what.skipped}.", changed)
    words = Counter(what.word for what in done.values() if what.word != "skipped")
    reasons = Counter(what.skipped for what in done.values() if what.word == "skipped")
    parts = [f"{count} {word}" for word, count in words.items()]
    parts += [f"{count} skipped ({reason})" for reason, count in reasons.items()]
    return Report(", ".join(parts) or "No job was selected.", changed)
