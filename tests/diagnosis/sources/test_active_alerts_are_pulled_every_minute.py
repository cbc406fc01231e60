"""What a real Alertmanager lists is taken in every minute: a missed webhook is repaired, a failure tried again."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from diagnosis.models import Alert, DataSource
from diagnosis.pull import pull
from diagnosis.pulling import KIND
from diagnosis.sources import change_source, create_source, delete_source
from jobs.enqueue import retry_by_hand
from jobs.models import Job
from jobs.testing import Clock, run_until_idle
from jobs.transitions import request_cancel
from oncall.models import Team
from tests.daemons import Daemon, alertmanager, free_port
from tests.diagnosis.sources.misbehaving import Misbehaving

pytestmark = pytest.mark.django_db


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Daemon]:
    with alertmanager(tmp_path / "am") as daemon:
        yield daemon


def source_at(team: Team, url: str, **values: Any) -> DataSource:
    return create_source(owner_id=team.pk, name="am", kind="alertmanager", url=url, **values)


def fire(daemon: Daemon, name: str, **labels: str) -> None:
    daemon.post("/api/v2/alerts", [{"labels": {"alertname": name, **labels}, "annotations": {"summary": "x"}}])


def jobs(*statuses: str) -> list[Job]:
    return list(Job.objects.filter(kind=KIND, status__in=statuses))


def test_a_missed_alert_is_taken_in_once(team: Team, running: Daemon) -> None:
    source = source_at(team, running.url)
    fire(running, "HighLatency", service="checkout")
    fire(running, "Watchdog")
    first = pull(source)
    assert first is not None and (first.received, first.created, first.heartbeats) == (2, 1, 1)
    alert = Alert.objects.get()
    assert (alert.owner_user_id, alert.name, alert.service, alert.state) == (
        team.pk,
        "HighLatency",
        "checkout",
        "firing",
    )
    assert alert.ends_at is None, "when a listed alert would run out is not its end"
    again = pull(source)
    assert again is not None and (again.created, again.updated) == (0, 1)
    assert Alert.objects.get().pk == alert.pk
    source.refresh_from_db()
    assert source.check_result == "ok"


def test_an_alert_is_the_one_that_a_webhook_brought(team: Team, running: Daemon) -> None:
    fire(running, "HighLatency")
    (listed,) = running.get("/api/v2/alerts")
    from diagnosis.alerts import take_in
    from diagnosis.webhook import read_delivery

    delivered = {**listed, "status": "firing", "endsAt": "0001-01-01T00:00:00Z"}
    now = timezone.now()
    take_in(read_delivery({"version": "4", "alerts": [delivered]}, now=now), owner_id=team.pk, now=now)
    taken = pull(source_at(team, running.url))
    assert taken is not None and (taken.created, taken.updated) == (0, 1)
    assert Alert.objects.count() == 1


def test_what_nobody_lists_for_long_is_stale_and_what_is_listed_is_not(team: Team, running: Daemon) -> None:
    source = source_at(team, running.url)
    fire(running, "Lives")
    pull(source)
    gone = Alert.objects.get()
    gone.pk, gone.fingerprint, gone.name = None, "f" * 16, "Gone"
    gone.save()
    Alert.objects.update(last_seen_at=timezone.now() - timedelta(days=1))
    pull(source)
    assert dict(Alert.objects.values_list("name", "state")) == {"Lives": "firing", "Gone": "stale"}


@pytest.mark.parametrize("body", [b"no", {"alerts": []}, ["x"], {}])
def test_an_answer_that_is_none_changes_nothing(team: Team, misbehaving: Misbehaving, body: Any) -> None:
    misbehaving.says(body)
    source = source_at(team, misbehaving.url)
    assert pull(source) is None
    source.refresh_from_db()
    assert source.check_result == "bad_answer" and Alert.objects.count() == 0


def test_a_bad_alert_spoils_only_itself(team: Team, misbehaving: Misbehaving) -> None:
    good = {"labels": {"alertname": "A"}, "startsAt": "2026-01-01T00:00:00Z", "fingerprint": "ab"}
    misbehaving.says([{}, {"labels": 5}, good, {**good, "fingerprint": None}])
    taken = pull(source_at(team, misbehaving.url))
    assert taken is not None and (taken.created, [bad.index for bad in taken.invalid]) == (1, [0, 1, 3])


def test_the_job_pulls_sleeps_a_minute_and_pulls_again(team: Team, running: Daemon) -> None:
    clock = Clock()
    source_at(team, running.url)
    (job,) = jobs("queued")
    assert (job.owner_user_id, job.resource_type) == (team.pk, "data_source")
    fire(running, "First")
    assert run_until_idle(kinds={KIND}, now=clock.now) == 1
    assert Alert.objects.count() == 1
    job.refresh_from_db()
    assert (job.status, job.attempt) == ("queued", 0)
    assert job.progress_message == "1 active alerts, 1 of them new."
    fire(running, "Second")
    assert run_until_idle(kinds={KIND}, now=clock.turn(seconds=50)) == 0
    assert run_until_idle(kinds={KIND}, now=clock.turn(seconds=15)) == 1
    assert Alert.objects.count() == 2


def test_a_source_that_is_down_is_tried_again(team: Team) -> None:
    clock = Clock()
    source = source_at(team, f"http://127.0.0.1:{free_port()}")
    for _ in range(5):
        assert run_until_idle(kinds={KIND}, now=clock.turn(seconds=61)) == 1
    (job,) = jobs("queued")
    assert job.attempt == 0
    source.refresh_from_db()
    assert source.check_result == "unreachable"


def test_once_a_day_the_job_ends_and_the_next_begins(team: Team, running: Daemon) -> None:
    clock = Clock()
    source = source_at(team, running.url)
    Job.objects.update(created_at=clock.now - timedelta(days=2))
    run_until_idle(kinds={KIND}, now=clock.now)
    assert len(jobs("succeeded")) == 1
    (following,) = jobs("queued")
    assert following.resource_id == source.pk and following.available_at >= clock.now + timedelta(seconds=59)


def test_disabling_deleting_and_moving(team: Team, running: Daemon) -> None:
    source = source_at(team, running.url, enabled=False)
    assert jobs("queued") == []
    change_source(source.pk, enabled=True)
    change_source(source.pk, name="again")
    assert len(jobs("queued")) == 1
    change_source(source.pk, enabled=False)
    assert jobs("queued") == [] and len(jobs("cancelled")) == 1
    change_source(source.pk, enabled=True)
    delete_source(source.pk)
    assert jobs("queued") == []
    assert run_until_idle(kinds={KIND}) == 0


def test_a_source_that_went_without_a_word_ends_its_job(team: Team, running: Daemon) -> None:
    source = source_at(team, running.url)
    DataSource.objects.filter(pk=source.pk).delete()
    run_until_idle(kinds={KIND})
    assert [len(jobs("queued")), len(jobs("cancelled"))] == [0, 1]


def test_a_cancelled_pull_stays_so_until_it_is_wanted(team: Team, running: Daemon) -> None:
    source_at(team, running.url)
    (job,) = jobs("queued")
    request_cancel(job.pk)
    assert run_until_idle(kinds={KIND}) == 0
    retry_by_hand(job.pk)
    assert run_until_idle(kinds={KIND}) == 1


def test_a_prometheus_is_not_pulled_from(team: Team) -> None:
    create_source(owner_id=team.pk, name="p", kind="prometheus", url="http://127.0.0.1:9090")
    assert jobs("queued") == []
