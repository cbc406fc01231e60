"""Where in a job's events a reader stands: the number after which it wants to go on."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from oncall.api.errors import invalid

AFTER_SEQUENCE = "afterSequence"
LAST_EVENT_ID = "Last-Event-ID"
# Every sequence number fits; a longer one is no number of ours.
MOST_DIGITS = 10

after_sequence_parameter = OpenApiParameter(
    AFTER_SEQUENCE, OpenApiTypes.INT, description="Only events with a larger sequence number.", default=0
)
last_event_id_parameter = OpenApiParameter(
    LAST_EVENT_ID,
    OpenApiTypes.INT,
    OpenApiParameter.HEADER,
    description="The same, as a browser sends it when it reconnects. The larger of the two wins.",
)


def after_sequence(request: Request) -> int:
    """``?afterSequence=``; 0 when it is not given. Raises the 400 that names it."""
    return _number(request.query_params.get(AFTER_SEQUENCE, "0"), AFTER_SEQUENCE)


def resume_after(request: Request) -> int:
    """The same for a stream, where a browser says in ``Last-Event-ID`` what it saw last: the larger wins."""
    return max(after_sequence(request), _number(request.headers.get(LAST_EVENT_ID) or "0", LAST_EVENT_ID))


def _number(text: str, name: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS):
        raise invalid(name, "Must be a whole number, 0 or larger.")
    return int(text)
