"""``GET /background-jobs/{id}/events:stream``: a job's events as they come."""

from collections.abc import AsyncIterator, Callable
from copy import copy
from typing import Any

from asgiref.sync import SyncToAsync, sync_to_async
from django.contrib.auth import get_user
from django.core.handlers.asgi import ASGIRequest
from django.db import DatabaseError, connections
from django.http import HttpRequest, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.exceptions import APIException
from rest_framework.generics import GenericAPIView
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from jobs.api.frames import JSON_FRAMES, Frames
from jobs.api.sequences import AFTER_SEQUENCE, after_sequence_parameter, last_event_id_parameter, resume_after
from jobs.api.views import job_in_scope
from jobs.stream import Viewer
from oncall.api.errors import Unavailable, refuse_unknown_parameters

_STREAM = OpenApiResponse(
    OpenApiTypes.STR,
    description="Server-sent events. Each event of the job: `id` is its sequence, `event` its type, `data` one line of "
    "JSON with `sequence`, `type`, `payload`, `epoch`, `createdAt`. A frame `job` without an id, whose data is the "
    "job, comes at the start and whenever the job itself changes. That the job is over is told after all events, by "
    "the last frame. When the stream ends before that, reconnect: it goes on after `Last-Event-ID`.",
)


class _ErrorsAreJson(BaseContentNegotiation):
    """What comes out is a stream, or an error in JSON, whatever the caller accepts."""

    def select_parser(self, request: Any, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(self, request: Any, renderers: Any, format_suffix: Any = None) -> Any:
        return JSONRenderer(), JSONRenderer.media_type


class JobEventStreamView(GenericAPIView):
    """Follow a job: its events from where you were, and its end."""

    http_method_names = ["get", "options"]  # A HEAD would wait for the end of the job.
    content_negotiation_class = _ErrorsAreJson
    pagination_class = None
    extra_parameters = (AFTER_SEQUENCE,)

    @extend_schema(
        parameters=[after_sequence_parameter, last_event_id_parameter],
        responses={(200, "text/event-stream"): _STREAM},
    )
    def get(self, request: Request, **ids: str) -> StreamingHttpResponse:
        job_id = self.job_to_follow(request)
        refuse_unknown_parameters(request, self.extra_parameters)
        after = resume_after(request)
        if not isinstance(request._request, ASGIRequest):
            raise Unavailable("Streams need an ASGI server.")  # A WSGI thread would be blocked until the job ends.
        return event_stream(job_id, after=after, may_still_see=self._ask_again(request._request))

    def job_to_follow(self, request: Request) -> str:
        """The id of the job, if the caller may see it. A domain's view may find it through a row of its own."""
        return job_in_scope(request, self.kwargs["job_id"]).pk

    def _ask_again(self, request: HttpRequest) -> Callable[[], bool]:
        """A question for later: is the session or token still good, and the job still in its owner's scope?"""

        def may_still_see() -> bool:
            again = self.initialize_request(as_new(request))
            try:
                self.perform_authentication(again)
                self.check_permissions(again)
                self.job_to_follow(again)
            except APIException:
                return False
            except DatabaseError:
                return True  # Nothing can be read meanwhile either; the next time will tell.
            return True

        return may_still_see


def event_stream(
    job_id: str, *, after: int, may_still_see: Callable[[], bool], frames: Frames = JSON_FRAMES
) -> StreamingHttpResponse:
    """The answer that streams a job's events after a sequence number; the caller has checked the scope."""
    viewer = Viewer(job_id, after=after, may_still_see=may_still_see, frames=frames)
    response = StreamingHttpResponse(_OfItsOwn(viewer), content_type="text/event-stream")
    response["Cache-Control"] = "no-cache"
    response["X-Accel-Buffering"] = "no"
    return response


class _OfItsOwn:
    """The frames of a viewer, after it has let go of what the request held; Django calls ``close``."""

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self.close = viewer.close

    async def __aiter__(self) -> AsyncIterator[bytes]:
        await _let_go_of_the_request()
        async for frame in self._viewer:
            yield frame


def as_new(request: HttpRequest) -> HttpRequest:
    """The request as if it came now: nothing of what was looked up for it is remembered."""
    again = copy(request)
    again.session = type(request.session)(request.session.session_key)
    again.user = get_user(again)
    return again


async def _let_go_of_the_request() -> None:
    """Give back what the request held for as long as it lasts: a database connection, and the thread it was made in."""
    await sync_to_async(_close_connections)()
    context = SyncToAsync.thread_sensitive_context.get(None)
    executor = SyncToAsync.context_to_thread_executor.pop(context, None) if context is not None else None
    if executor is not None:
        executor.shutdown(wait=False)


def _close_connections() -> None:
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close()
