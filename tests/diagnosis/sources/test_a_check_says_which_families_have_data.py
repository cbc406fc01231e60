"""``:check`` names, for each enabled Prometheus and family, whether data comes; in time, and only with our words."""

import json
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from diagnosis.catalogue.checking import check_service, check_source
from diagnosis.catalogue.editing import create_service
from diagnosis.models import DataSource, Incident
from diagnosis.sources import create_source
from oncall.models import Team, User
from tests.daemons import Daemon, free_port, prometheus
from tests.diagnosis.sources.misbehaving import Misbehaving
from tests.diagnosis.sources.recorded_shop import WINDOW

pytestmark = pytest.mark.django_db
As = Callable[[User], Client]
THEN = datetime.fromtimestamp(WINDOW.end, tz=UTC)


def source_at(team: Team, url: str, name: str = "p", **values: Any) -> DataSource:
    return create_source(owner_id=team.pk, name=name, kind="prometheus", url=url, **values)


@pytest.fixture
def checkout(team: Team) -> Any:
    values = {"name": "checkout", "selector": {"job": "checkout"}, "presets": ["red", "process"]}
    return create_service(owner_id=team.pk, values=values)


def test_families_with_and_without_data(shop: Daemon, team: Team, checkout: Any) -> None:
    row = source_at(team, shop.url)
    found = check_service(checkout, [row], now=THEN)
    assert {one.family: one.result for one in found} == {
        "latency": "ok",
        "availability": "ok",
        "errors": "ok",
        "traffic": "ok",
        "cpu": "no_data",
        "memory": "ok",
        "saturation": "no_data",
        "restarts": "ok",
        "version": "ok",
    }
    assert {one.data_source_id for one in found} == {row.pk}
    assert next(one.series for one in found if one.family == "version") == 1


def test_all_questions_share_one_deadline(team: Team, checkout: Any, tmp_path: Path) -> None:
    """Nine questions to a source that hangs take as long as one."""
    with prometheus(tmp_path / "p") as daemon:
        row = source_at(team, daemon.url)
        daemon.freeze()
        began = time.monotonic()
        found = check_service(checkout, [row], seconds=0.6)
        assert time.monotonic() - began < 2
    assert {one.result for one in found} == {"timeout"} and len(found) == 9


def test_over_the_api(
    as_user: As, bob: User, shop: Daemon, team: Team, checkout: Any, misbehaving: Misbehaving
) -> None:
    misbehaving.says(b"secret-body", status=500)
    good, bad = source_at(team, shop.url, "good"), source_at(team, misbehaving.url, "bad")
    source_at(team, f"http://127.0.0.1:{free_port()}", "off", enabled=False)
    answer = as_user(bob).post(f"/aiops/services/{checkout.pk}:check")
    assert answer.status_code == 200 and b"secret-body" not in answer.content
    body = answer.json()
    assert set(body) == {"next", "previous", "results"}
    assert set(body["results"][0]) == {"dataSourceId", "family", "result", "series", "detail"}
    by_source: dict[str, set[str]] = {}
    for row in body["results"]:
        by_source.setdefault(row["dataSourceId"], set()).add(row["result"])
    # Nothing of the recorded hours is in the last fifteen minutes of today.
    assert by_source == {good.pk: {"no_data"}, bad.pk: {"bad_answer"}}


def test_a_source_that_answers(as_user: As, bob: User, shop: Daemon, team: Team) -> None:
    row = source_at(team, shop.url + "/")
    answer = as_user(bob).post(f"/aiops/data-sources/{row.pk}:check")
    assert answer.json() == {"result": "ok", "detail": "It answers."}
    row.refresh_from_db()
    assert row.check_result == "ok" and row.checked_at is not None


def test_a_clock_that_is_off_by_an_hour_is_told(shop: Daemon, team: Team) -> None:
    found = check_source(source_at(team, shop.url), now=timezone.now() + timedelta(hours=1))
    assert found.result == "clock_differs" and "-3600 seconds" in found.detail


@pytest.mark.parametrize(
    ("body", "status", "result"),
    [
        (b"<html>secret-body</html>", 200, "bad_answer"),
        ({"status": "success", "data": {"resultType": "scalar", "result": [1, "secret-body"]}}, 200, "bad_answer"),
        ({"status": "success", "data": {"resultType": "scalar", "result": [1, "NaN"]}}, 200, "bad_answer"),
        (b"secret-body", 401, "unauthorised"),
        (b"secret-body", 307, "bad_answer"),
    ],
)
def test_a_failure_is_a_class_and_no_body(
    team: Team, misbehaving: Misbehaving, body: Any, status: int, result: str
) -> None:
    misbehaving.says(body, status=status)
    row = source_at(team, misbehaving.url)
    found = check_source(row)
    assert found.result == result and "secret-body" not in found.detail
    row.refresh_from_db()
    assert row.check_result == result


def test_an_address_that_was_allowed_once_is_refused_now(team: Team, shop: Daemon, settings: Any) -> None:
    row = source_at(team, shop.url)
    settings.ONCALL_ALLOWED_NETWORKS = ["10.0.0.0/8"]
    assert check_source(row).result == "refused_address"


def recorded(team: Team, recording: dict[str, str]) -> DataSource:
    incident = Incident.objects.create(owner_user=team, title="t", opened_at=THEN)
    return DataSource.objects.create(owner_user=team, name="r", kind="recorded", incident=incident, recording=recording)


def test_a_recording_is_read(team: Team) -> None:
    told = "window: {start: 2026-03-04T09:00:00Z, end: 2026-03-04T10:00:00Z}"
    good = {"incident.yaml": told, "metrics.csv": "time,service,family,name,value\n"}
    assert check_source(recorded(team, good)).result == "ok"


@pytest.mark.parametrize("recording", [{}, {"incident.yaml": "["}, {"incident.yaml": "x: 1"}, {"metrics.csv": ""}])
def test_a_broken_recording_is_told(team: Team, recording: dict[str, str]) -> None:
    assert check_source(recorded(team, recording)).result == "bad_answer"


@pytest.fixture(autouse=True)
def _nothing_leaks(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    assert "secret-body" not in json.dumps([record.getMessage() for record in caplog.records])
