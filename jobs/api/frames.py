"""Server-sent events as text: one frame is its lines and an empty one.

All of it is ASCII, so that no reader, whatever it takes for the end of a line, finds one inside.
"""

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from rest_framework.utils.encoders import JSONEncoder

from jobs.api.serializers import JobEventSerializer, JobSerializer
from jobs.models import Job, JobEvent

PING = b": ping\n\n"
JOB = "job"
# An event's type comes from a handler: it must not end the line, and must not pass for news of the job itself.
_UNSAFE = re.compile(r"[^\x21-\x7e]+")


class Frames(NamedTuple):
    """How a stream says its news: of the job itself, and of one event of it, with the event's ``id:``.

    They run in the reader's thread, for all viewers who were given the same functions, and must not raise.
    """

    of_job: Callable[[Job], bytes]
    of_event: Callable[[JobEvent], bytes]


def job_frame(job: Job) -> bytes:
    """News of the job itself. It has no id: a reconnect resumes after the last event, and gets the job anew."""
    return f"event: {JOB}\ndata: {_one_line(JobSerializer(job).data)}\n\n".encode("ascii")


def event_frame(event: JobEvent) -> bytes:
    data = _one_line(JobEventSerializer(event).data)
    return f"id: {event.sequence}\nevent: {event_name(event.type)}\ndata: {data}\n\n".encode("ascii")


def event_name(type: str) -> str:
    """The type as the name of a frame; the true one stands in the data. ``job`` is ours, so a handler's is ``job_``."""
    name = _UNSAFE.sub("_", type)
    return f"{name}_" if name == JOB else name


def _one_line(data: Any) -> str:
    return json.dumps(data, cls=JSONEncoder, ensure_ascii=True, separators=(",", ":"))


JSON_FRAMES = Frames(job_frame, event_frame)
