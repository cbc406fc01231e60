"""Session, token and membership are asked for again while a stream is open; it ends when they are gone."""

from typing import Any

import pytest
from django.contrib.sessions.models import Session

from jobs import stream as streams
from jobs.states import RUNNING
from oncall.models import Membership, Team, Token, User
from tests.factories import make_token
from tests.jobs.api.streams import in_a_loop, later, watching
from tests.jobs.factories import add_event, make_job

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def asked_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "ACCESS_SECONDS", 0.05)


@pytest.mark.parametrize("gone", ["session", "membership", "user"])
@in_a_loop
async def test_of_a_signed_in_teammate(bob: User, team: Team, gone: str) -> None:
    job = await later(make_job, owner=team, status=RUNNING, events=1)
    async with watching(job, bob) as stream:
        assert [(await stream.next()).event for _ in range(2)] == ["job", "step"]  # type: ignore[union-attr]
        await later(take_away, gone, bob)
        assert await stream.rest() == []


@pytest.mark.parametrize("gone", ["token", "expiry", "membership", "scope"])
@in_a_loop
async def test_of_a_token(bob: User, team: Team, gone: str) -> None:
    job = await later(make_job, owner=team, status=RUNNING)
    _, text = await later(make_token, bob, scope=Token.Scope.READ)
    async with watching(job, Authorization=f"Bearer {text}") as stream:
        await stream.next()
        await later(take_away, gone, bob)
        assert await stream.rest() == []


@in_a_loop
async def test_nothing_is_given_after_it(bob: User, team: Team) -> None:
    job = await later(make_job, owner=team, status=RUNNING)
    async with watching(job, bob) as stream:
        await stream.next()
        await later(take_away, "membership", bob)
        assert await stream.rest() == []
        await later(add_event, job)
        assert await stream.rest() == []


@in_a_loop
async def test_who_may_still_see_it_keeps_it(bob: User, rita: User, team: Team) -> None:
    job = await later(make_job, owner=team, status=RUNNING)
    async with watching(job, bob) as gone, watching(job, rita) as kept:
        await gone.next(), await kept.next()
        await later(take_away, "membership", bob)
        assert await gone.rest() == []
        await later(add_event, job)
        said = await kept.next()
        assert said is not None and said.id == 1


def take_away(what: str, user: User) -> Any:
    if what == "session":
        return Session.objects.all().delete()
    if what == "membership":
        return Membership.objects.filter(user=user).delete()
    if what == "user":
        return User.objects.filter(pk=user.pk).update(is_active=False)
    if what == "scope":
        return Token.objects.update(scope=Token.Scope.ALERTS_WRITE)
    if what == "expiry":
        return Token.objects.update(expiry="2020-01-01T00:00:00Z")
    return Token.objects.all().delete()
