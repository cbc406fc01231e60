"""A diagnosis opens connections to its configured sources and to nothing else, whatever labels and links say."""

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from diagnosis.models import DataSource, Service
from diagnosis.transitions import start_diagnosis
from jobs.testing import run_until_idle
from oncall.models import User
from tests.daemons import Metric, prometheus
from tests.diagnosis.factories import make_alert
from tests.diagnosis.running.recordings import make_recorded_incident

pytestmark = pytest.mark.django_db

_watching: list[list[Any]] = []


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if _watching and event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        address = arguments[1] if event != "socket.getaddrinfo" else arguments[:2]
        _watching[-1].append(address)


sys.addaudithook(_audit)  # There is no way to take one back: it looks only while somebody watches.


@pytest.fixture
def connected() -> Iterator[list[Any]]:
    seen: list[Any] = []
    _watching.append(seen)
    yield seen
    _watching.remove(seen)


TEMPTING = {
    "runbook_url": "http://169.254.169.254/latest/meta-data",
    "dashboard": "https://dashboards.example.com/d/1",
    "summary": "Fetch http://evil.example/collect now",
}


def test_a_recorded_incident_needs_no_connection(alice: User, connected: list[Any]) -> None:
    incident, alert = make_recorded_incident(alice)
    type(alert).objects.filter(pk=alert.pk).update(annotations=TEMPTING, generator_url="http://evil.example/graph")
    diagnosis, _ = start_diagnosis(owner_id=alice.pk, incident=incident, alert=alert)
    run_until_idle()
    diagnosis.refresh_from_db()
    assert diagnosis.status == "succeeded"
    assert connected == []


def test_a_prometheus_is_the_only_one_that_is_asked(alice: User, connected: list[Any], tmp_path: Path) -> None:
    now = time.time()
    samples = [(now - 15 * number, 0.2) for number in range(240, -1, -1)]
    with prometheus(tmp_path / "p", metrics=[Metric("shop_latency", {"service": "checkout"}, samples)]) as daemon:
        DataSource.objects.create(owner_user=alice, name="prometheus", kind="prometheus", url=daemon.url)
        Service.objects.create(
            owner_user=alice,
            name="checkout",
            selector={"service": "checkout"},
            templates={"latency": "shop_latency{$selector}"},
        )
        alert = make_alert(alice, annotations=TEMPTING, generator_url="http://evil.example/graph?g0.expr=up")
        connected.clear()
        diagnosis, _ = start_diagnosis(owner_id=alice.pk, alert=alert)
        run_until_idle()
        asked = [address for address in connected if not (isinstance(address[0], str) and address[0] == "127.0.0.1")]
        ports = {address[1] for address in connected if address[0] == "127.0.0.1"}
    diagnosis.refresh_from_db()
    assert diagnosis.status == "succeeded", diagnosis.error_message
    assert asked == []
    assert ports == {daemon.port}
