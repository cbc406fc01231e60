"""Cancel and retry from the admin: jobs one by one, each by its transition, and a sentence on what became of them."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

from jobs.enqueue import ActiveJobExists, UnknownKind, retry_by_hand
from jobs.models import Job
from jobs.resources import HookFailed, NotRetryable
from jobs.states import CANCELLED, RUNNING, TERMINAL
from jobs.transitions import request_cancel

CANCELLED_NOW, ASKED, RETRIED, SKIPPED = "cancelled", "asked to stop", "retried as a new job", "skipped"
CHANGES = (CANCELLED_NOW, ASKED, RETRIED)  # In the order in which they are told.
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
        return Done(SKIPPED, "already finished", f"The job is {before} already.")
    try:
        after = request_cancel(job_id).status
    except Job.DoesNotExist:
        return Done(SKIPPED, GONE)
    except HookFailed as failed:
        return Done(SKIPPED, "its domain refused", str(failed))
    if after == CANCELLED:
        return Done(CANCELLED_NOW)
    return Done(ASKED) if after == RUNNING else Done(SKIPPED, "already finished")


def retry(job_id: str) -> Done:
    try:
        retry_by_hand(job_id)
    except Job.DoesNotExist:
        return Done(SKIPPED, GONE)
    except NotRetryable as refusal:
        return Done(SKIPPED, "retried already" if refusal.successor_id else "not failed or cancelled", str(refusal))
    except ActiveJobExists as refusal:
        return Done(SKIPPED, "its resource has an active job", str(refusal))
    except UnknownKind as refusal:
        return Done(SKIPPED, "its kind has no handler", str(refusal))
    except HookFailed as failed:
        return Done(SKIPPED, "its domain refused", str(failed))
    return Done(RETRIED)


def steer(job_ids: Iterable[str], do: Callable[[str], Done]) -> Report:
    """Do it to each job; ``3 cancelled, 2 asked to stop, 1 skipped (already finished)``."""
    done = {job_id: do(job_id) for job_id in job_ids}
    changed = [job_id for job_id, what in done.items() if what.word != SKIPPED]
    if len(done) == 1 and not changed:
        (what,) = done.values()
        return Report(what.whole or f"Skipped: {what.skipped}.", changed)
    words = Counter(what.word for what in done.values())
    reasons = Counter(what.skipped for what in done.values() if what.word == SKIPPED)
    parts = [f"{words[word]} {word}" for word in CHANGES if words[word]]
    parts += [f"{count} skipped ({reason})" for reason, count in reasons.items()]
    return Report(", ".join(parts) or "No job was selected.", changed)
