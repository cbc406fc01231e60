"""The first page shows all events so far; its stream brings what comes after them, in the same HTML, to the end."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from diagnosis.models import Diagnosis
from diagnosis.states import RUNNING, SUCCEEDED
from jobs.models import Job, JobAttempt
from oncall.models import Membership, Team, User
from tests.diagnosis.factories import job_of, make_alert, make_diagnosis
from tests.diagnosis.pages.watching import News, watching_page
from tests.diagnosis.report_body import BODY
from tests.jobs.api.streams import in_a_loop, later
from tests.jobs.factories import add_event

pytestmark = pytest.mark.django_db(transaction=True)
SignIn = Callable[[User], Client]
SAID: list[tuple[str, Any]] = [
    ("stage.started", {"stage": "facts"}),
    ("evidence.added", {"evidence": "E1", "kind": "alert", "summary": "CheckoutSlow is firing."}),
    ("facts.ready", BODY["facts"]),
    ("tool.requested", {"call": 1, "tool": "metric", "arguments": {"node": "payment", "family": "latency"}}),
    ("stage.finished", {"stage": "facts"}),
]


def running(team: Team) -> Diagnosis:
    return make_diagnosis(team, status=RUNNING, alert=make_alert(team), job={"events": SAID})


def finish(diagnosis: Diagnosis) -> None:
    """As the last transaction of the job leaves it."""
    now = timezone.now()
    Diagnosis.objects.filter(pk=diagnosis.pk).update(status=SUCCEEDED, completed_at=now)
    JobAttempt.objects.filter(job=diagnosis.job_id, outcome=None).update(outcome="succeeded", ended_at=now)
    done = {"status": "succeeded", "lease_owner": None, "lease_expires_at": None, "progress": 1, "result": {}}
    Job.objects.filter(pk=diagnosis.job_id).update(completed_at=now, updated_at=now, **done)


def page(client: Client, diagnosis: Diagnosis) -> str:
    return client.get(f"/diagnoses/{diagnosis.pk}/").content.decode()


def lines_in(text: str) -> list[str]:
    return re.findall(r'<li id="event-\d+".*?</li>', text, re.DOTALL)


def test_the_first_page_has_all_so_far_and_the_stream_begins_after_it(as_user: SignIn, bob: User, team: Team) -> None:
    diagnosis = running(team)
    seen = page(as_user(bob), diagnosis)
    assert len(lines_in(seen)) == 4  # The end of a stage is no line of its own.
    assert f'sse-connect="/diagnoses/{diagnosis.pk}/stream/?after=5"' in seen


@in_a_loop
async def test_the_stream_says_in_the_same_html_what_the_page_says(as_user: SignIn, bob: User, team: Team) -> None:
    diagnosis = await later(running, team)
    seen = await later(page, await later(as_user, bob), diagnosis)
    async with watching_page(diagnosis, bob) as stream:
        news = await stream.until(id=5)
    assert [one.html for one in news if one.event == "line"] == lines_in(seen)
    for name in ("standing", "facts", "proof"):
        html = next(one.html for one in news if one.event == name)
        assert html.strip() in seen, name


@in_a_loop
async def test_a_reload_in_the_middle_loses_and_repeats_nothing(as_user: SignIn, bob: User, team: Team) -> None:
    diagnosis = await later(running, team)
    async with watching_page(diagnosis, bob, after=5) as stream:
        assert [one.event for one in await stream.until(event="standing")] == ["standing"]
        job = await later(job_of, diagnosis)
        await later(add_event, job, "warning", {"text": "while it is open"})
        assert "while it is open" in (await stream.until(id=6))[0].html
    await later(add_event, job, "warning", {"text": "while it is closed"})
    seen = await later(page, await later(as_user, bob), diagnosis)
    assert seen.count("while it is open") == seen.count("while it is closed") == 1 and "?after=7" in seen
    async with watching_page(diagnosis, bob, after=5, Last_Event_ID="6") as stream:
        told = [one for one in await stream.until(id=7) if one.event == "line"]
    assert len(told) == 1 and "while it is closed" in told[0].html


@in_a_loop
async def test_it_ends_with_its_job_and_the_outcome_has_the_report(as_user: SignIn, bob: User, team: Team) -> None:
    diagnosis = await later(running, team)
    async with watching_page(diagnosis, bob, after=5) as stream:
        await stream.next()
        await later(finish, diagnosis)
        last = await stream.rest()
    assert [one.event for one in last] == ["standing", "end"]
    assert "succeeded</span>" in last[0].html


@in_a_loop
async def test_everybody_reads_their_own_language(bob: User, rita: User, team: Team) -> None:
    diagnosis = await later(running, team)
    async with (
        watching_page(diagnosis, bob) as english,
        watching_page(diagnosis, rita, language="zh-hans") as chinese,
    ):
        told = [await stream.until(id=1) for stream in (english, chinese)]
    assert "Gathering" in html_of(told[0]) and "收集告警本身的事实" in html_of(told[1])


@in_a_loop
async def test_a_line_of_foreign_text_stays_in_its_frame(bob: User, team: Team) -> None:
    diagnosis = await later(running, team)
    job = await later(job_of, diagnosis)
    for text in ("a\n\nid: 99\nevent: end\ndata: x", "a\r\rid: 99", "a\x00\x85\u2028b", "<script>alert(1)</script>"):
        await later(add_event, job, "warning", {"text": text.replace("\x00", "")})
    async with watching_page(diagnosis, bob, after=5) as stream:
        news = await stream.until(id=9)
    assert [one.id for one in news if one.id] == [6, 7, 8, 9] and "end" not in [one.event for one in news]
    assert "<script" not in html_of(news)


@in_a_loop
async def test_it_ends_when_access_is_gone(bob: User, team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jobs.stream.ACCESS_SECONDS", 0.05)
    diagnosis = await later(running, team)
    async with watching_page(diagnosis, bob, after=5) as stream:
        await stream.next()
        await later(Membership.objects.filter(user=bob).delete)
        assert await stream.rest() == []


@in_a_loop
async def test_a_reader_may_watch(rita: User, team: Team) -> None:
    diagnosis = await later(running, team)
    async with watching_page(diagnosis, rita, after=5) as stream:
        news = await stream.next()
    assert news is not None and news.event == "standing"


def test_without_an_asgi_server_there_is_no_stream(as_user: SignIn, bob: User, team: Team) -> None:
    assert as_user(bob).get(f"/diagnoses/{running(team).pk}/stream/").status_code == 503


def html_of(news: list[News]) -> str:
    return "".join(one.html for one in news)
