"""Whatever a handler says, a frame keeps its shape, and nothing passes for news of the job itself."""

import pytest

from jobs.api.frames import event_name
from jobs.states import SUCCEEDED
from oncall.models import User
from tests.jobs.api.streams import in_a_loop, later, watching
from tests.jobs.factories import make_job

pytestmark = pytest.mark.django_db(transaction=True)
TYPES = [
    "a\nevent: job\ndata: {}\n\n",
    "job",
    "two words",
    "文档",
    "a\rb",
    "a\u2028b",
    "a\x85b",
    "job\n",
    " job ",
    "error",
]


@in_a_loop
async def test_hostile_types_and_payloads(alice: User) -> None:
    text = "one\ntwo\r\nthree\u2028four\x85five\n\nid: 99\n\n"
    said = [(type, {"text": text, type: 1}) for type in TYPES]
    job = await later(make_job, owner=alice, status=SUCCEEDED, events=said)
    async with watching(job, alice) as stream:
        *events, last = await stream.rest()
    assert [frame.id for frame in events] == list(range(1, len(TYPES) + 1))
    assert [frame.data["type"] for frame in events] == TYPES
    assert [frame.data["payload"] for frame in events] == [payload for _, payload in said]
    assert "job" not in [frame.event for frame in events]
    assert (last.event, last.id) == ("job", None)


@pytest.mark.parametrize(
    ("type", "name"),
    [("step.started", "step.started"), ("job", "job_"), ("two words", "two_words"), ("a\r\nb", "a_b"), ("文档", "_")],
)
def test_the_name_of_a_frame(type: str, name: str) -> None:
    assert event_name(type) == name
