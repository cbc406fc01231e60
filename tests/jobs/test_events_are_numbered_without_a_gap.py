"""A job's log is 1, 2, 3 … whoever appends, however often an append is repeated; a reader goes on after a cursor."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction

from jobs.claim import reclaim
from jobs.claimed import ClaimedJob
from jobs.events import Event, Progress, append, read
from jobs.handlers import JobContext, LeaseLost, PermanentError
from jobs.models import JobEvent
from jobs.payloads import MAX_JSON_BYTES
from jobs.testing import registered, run_of, run_one
from tests.jobs.steps import NOON, changed, end, everything, queue, row, take_one

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("kinds")]
LATER = NOON + timedelta(seconds=1)


@pytest.fixture
def claimed() -> ClaimedJob:
    queue()
    return take_one()


def events(*names: str) -> list[Event]:
    return [Event(name, "{}") for name in names]


def log(job: ClaimedJob) -> list[tuple[int, str]]:
    return list(JobEvent.objects.filter(job_id=job.id).order_by("sequence").values_list("sequence", "type"))


def test_an_append_writes_the_events_and_their_count(claimed: ClaimedJob) -> None:
    before = row(claimed)
    new = [Event("page", '{"n": 1}'), Event("page", '{"n": 2}')]
    assert append(claimed, new, known=0, now=LATER) == 2
    after = row(claimed)
    assert {name: after[name] for name in changed(before, after)} == {"event_seq": 2}
    assert list(read(claimed.id).values_list("sequence", "epoch", "type", "payload", "created_at")) == [
        (1, 1, "page", {"n": 1}, LATER),
        (2, 1, "page", {"n": 2}, LATER),
    ]


def test_the_next_append_goes_on(claimed: ClaimedJob) -> None:
    known = append(claimed, events("a", "b"), known=0)
    known = append(claimed, events("c"), known=known)
    assert known == 3
    assert log(claimed) == [(1, "a"), (2, "b"), (3, "c")]


def test_an_append_whose_reply_was_lost_is_not_doubled(claimed: ClaimedJob) -> None:
    append(claimed, events("a", "b"), known=0)
    assert append(claimed, events("a", "b"), known=0) == 2
    assert log(claimed) == [(1, "a"), (2, "b")]


def test_what_was_said_meanwhile_follows_it(claimed: ClaimedJob) -> None:
    append(claimed, events("a", "b"), known=0)
    assert append(claimed, events("a", "b", "c", "d"), known=0) == 4
    assert log(claimed) == [(1, "a"), (2, "b"), (3, "c"), (4, "d")]


def test_its_progress_is_not_lost_with_the_reply(claimed: ClaimedJob) -> None:
    append(claimed, events("a"), known=0)
    append(claimed, events("a"), known=0, progress=Progress(0.5, "half"), now=LATER)
    assert (row(claimed)["progress"], row(claimed)["progress_message"]) == (0.5, "half")
    assert log(claimed) == [(1, "a")]


def test_an_append_that_is_undone_leaves_no_gap(claimed: ClaimedJob) -> None:
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        append(claimed, events("a"), known=0, progress=Progress(0.5, ""))
        raise ZeroDivisionError
    assert (log(claimed), row(claimed)["event_seq"], row(claimed)["progress"]) == ([], 0, 0)
    assert append(claimed, events("b"), known=0) == 1
    assert log(claimed) == [(1, "b")]


def test_the_next_attempt_goes_on_where_the_last_one_stopped(claimed: ClaimedJob) -> None:
    append(claimed, events("a", "b"), known=0)
    reclaim(now=NOON + timedelta(minutes=1))
    again = take_one(now=NOON + timedelta(minutes=1))
    assert again.event_seq == 2
    append(again, events("c"), known=again.event_seq)
    assert list(read(claimed.id).values_list("sequence", "epoch")) == [(1, 1), (2, 1), (3, 2)]


def test_a_finished_job_says_nothing_more(claimed: ClaimedJob) -> None:
    end(claimed, "succeeded")
    before = everything(claimed)
    with pytest.raises(LeaseLost):
        append(claimed, events("late"), known=0)
    assert everything(claimed) == before


def test_two_jobs_count_apart(claimed: ClaimedJob) -> None:
    queue()
    other = take_one()
    for job, name in ((claimed, "a"), (other, "x"), (claimed, "b"), (other, "y")):
        append(job, events(name), known=row(job)["event_seq"])
    assert (log(claimed), log(other)) == ([(1, "a"), (2, "b")], [(1, "x"), (2, "y")])


def test_a_reader_goes_on_after_its_cursor(claimed: ClaimedJob) -> None:
    append(claimed, events(*"abcde"), known=0)
    assert [event.type for event in read(claimed.id)] == list("abcde")
    assert [event.sequence for event in read(claimed.id, after=3)] == [4, 5]
    assert list(read(claimed.id, after=5)) == []
    assert list(read("job_unknown")) == []


def test_progress_alone(claimed: ClaimedJob) -> None:
    before = row(claimed)
    assert append(claimed, [], known=0, progress=Progress(0.25, "a quarter"), now=LATER) == 0
    after = row(claimed)
    wanted = {"progress": 0.25, "progress_message": "a quarter", "updated_at": LATER}
    assert {name: after[name] for name in changed(before, after)} == wanted


def test_what_a_handler_says_is_there_with_its_end() -> None:
    def speak(context: JobContext) -> None:
        context.append_event("page", {"n": 1, "url": "https://user:pass@host/"})
        context.progress(2, "done" * 200)
        context.append_event("page")

    with registered("speaker") as handler:
        handler(speak)
        job = queue("speaker")
        assert run_one(take_one(), now=LATER) == "succeeded"
    assert list(read(job.pk).values_list("sequence", "payload")) == [
        (1, {"n": 1, "url": "https://***@host/"}),
        (2, {}),
    ]
    assert (row(job)["progress"], len(row(job)["progress_message"])) == (1, 500)


@pytest.mark.parametrize(
    ("type", "payload"),
    [
        ("", {}),
        ("t" * 101, {}),
        ("page", {"n": float("nan")}),
        ("page", {"n": object()}),
        ("page", {"n": "x" * MAX_JSON_BYTES}),
    ],
    ids=["no type", "long type", "not a number", "an object", "too large"],
)
def test_an_event_that_cannot_be_stored_fails_the_attempt_for_good(type: str, payload: dict[str, Any]) -> None:
    with registered("speaker") as handler:
        handler(lambda context: context.append_event(type, payload))
        job = queue("speaker")
        assert run_one(take_one(), now=LATER) == "failed"
    assert row(job)["error_message"] != ""


def test_characters_that_no_database_stores_are_replaced(claimed: ClaimedJob) -> None:
    run = run_of(claimed)
    context = JobContext(run)
    context.append_event("page", {"a\x00": "b\x00\ud800"})
    run.said.write()
    assert [event.payload for event in read(claimed.id)] == [{"a\ufffd": "b\ufffd\ufffd"}]


@pytest.mark.parametrize("type", ["a\x00b", "a\ud800b"])
def test_nor_stored_in_an_events_type(claimed: ClaimedJob, type: str) -> None:
    run = run_of(claimed)
    JobContext(run).append_event(type)
    run.said.write()
    assert [event.type for event in read(claimed.id)] == ["a\ufffdb"]


@pytest.mark.parametrize("fraction", [float("nan"), float("inf"), -float("inf")])
def test_progress_is_a_number(claimed: ClaimedJob, fraction: float) -> None:
    with pytest.raises(PermanentError):
        JobContext(run_of(claimed)).progress(fraction)
