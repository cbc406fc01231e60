"""``/diagnoses/{id}/stream/``: the page's own stream. It says in HTML, with the same templates, what comes."""

import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from django.core.handlers.asgi import ASGIRequest
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.template.loader import render_to_string
from django.utils.translation import get_language, override
from django.views.decorators.http import require_GET

from diagnosis.models import Diagnosis
from diagnosis.pages.diagnoses import diagnosis_seen_by
from diagnosis.pages.facts import FACTS_READY, facts_in
from diagnosis.pages.pieces import evidence_in, mapping
from diagnosis.pages.proofs import evidence_of, proof_of
from diagnosis.pages.standing import standing_of
from diagnosis.pages.timeline import line_of
from jobs.api.frames import Frames
from jobs.api.stream_view import as_new, event_stream
from jobs.models import Job, JobEvent
from jobs.states import TERMINAL

_LINE_END = re.compile("\r\n|\r|\n")
_MOST_DIGITS = 10


@require_GET  # A HEAD would wait for the end of the job.
def stream(request: HttpRequest, diagnosis_id: str) -> HttpResponseBase:
    """The frames ``standing``, ``facts``, ``line``, ``proof`` as they come, and ``end`` when the job is over."""
    diagnosis = diagnosis_seen_by(request, diagnosis_id)
    if not isinstance(request, ASGIRequest):
        return HttpResponse(status=503)  # A WSGI thread would be blocked until the job ends.
    after = max(_number(request.GET.get("after")), _number(request.headers.get("Last-Event-ID")))
    frames = _frames_in(get_language() or "en")
    may_still_see = _ask_again(request, diagnosis.pk)
    return event_stream(diagnosis.job_id, after=after, may_still_see=may_still_see, frames=frames)


def _ask_again(request: HttpRequest, diagnosis_id: str) -> Callable[[], bool]:
    """A question for later: is the session still good, and the diagnosis still in its owner's scope?"""

    def may_still_see() -> bool:
        try:
            diagnosis_seen_by(as_new(request), diagnosis_id)
        except Http404:
            return False
        except DatabaseError:
            return True  # Nothing can be read meanwhile either; the next time will tell.
        return True

    return may_still_see


@lru_cache
def _frames_in(language: str) -> Frames:
    """The same functions for all who read a language: each piece of news is rendered once for all of them."""
    return Frames(partial(_job_frame, language), partial(_event_frame, language))


def _job_frame(language: str, job: Job) -> bytes:
    diagnosis = Diagnosis.objects.filter(pk=job.resource_id).first()
    text = b""
    if diagnosis is not None:
        with override(language):
            text = _frame("standing", "diagnosis/standing.html", {"standing": standing_of(diagnosis, job)})
    return text + _data("end", "") if job.status in TERMINAL else text


def _event_frame(language: str, event: JobEvent) -> bytes:
    """All that an event changes on the page. Its number comes last: who was cut off before it gets all of it again."""
    with override(language):
        frames = [_line(event)]
        if event.type == "evidence.added":
            frames.append(_proof(event))
        elif event.type == FACTS_READY:
            frames.append(_frame("facts", "diagnosis/facts.html", {"facts": facts_in(event.payload)}))
    return b"".join(frames) + f"id: {event.sequence}\n\n".encode()


def _line(event: JobEvent) -> bytes:
    line = line_of(event)
    return _frame("line", "diagnosis/line.html", {"line": line}) if line is not None else b""


def _proof(event: JobEvent) -> bytes:
    names = evidence_in(mapping(event.payload).get("evidence"))
    diagnosis = Diagnosis.objects.filter(job_id=event.job_id).first()
    rows = evidence_of(diagnosis).filter(number__in=[int(name[1:]) for name in names]) if diagnosis else []
    return b"".join(_frame("proof", "diagnosis/proof.html", {"proof": proof_of(row)}) for row in rows)


def _frame(name: str, template: str, context: dict[str, Any]) -> bytes:
    return _data(name, render_to_string(template, context))


def _data(name: str, text: str) -> bytes:
    lines = "".join(f"data: {line}\n" for line in _LINE_END.split(text))
    return f"event: {name}\n{lines}\n".encode("utf-8", "replace")


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else 0
