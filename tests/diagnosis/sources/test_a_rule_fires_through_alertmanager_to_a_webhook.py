"""The daemons of the tests are real: a rule over backfilled samples fires, and Alertmanager posts it with its token."""

import json
import time
from pathlib import Path

from tests.daemons import alertmanager, prometheus
from tests.diagnosis.sources.misbehaving import Misbehaving
from tests.diagnosis.sources.recorded_shop import METRICS, RULES, START


def test_the_webhook_arrives(tmp_path: Path, misbehaving: Misbehaving) -> None:
    misbehaving.says({})
    with (
        alertmanager(tmp_path / "am", webhook=f"{misbehaving.url}/hook", token="tok-1", group_by=["alertname"]) as am,
        prometheus(
            tmp_path / "p", metrics=METRICS[:2], rules=RULES, alertmanagers=[f"127.0.0.1:{am.port}"], seconds=0.2
        ) as prom,
    ):
        ends = time.monotonic() + 30
        while not misbehaving.posted and time.monotonic() < ends:
            time.sleep(0.05)
        backfilled = prom.get(f"/api/v1/query?query=http_request_duration_seconds_count&time={START + 60}")
    assert backfilled["data"]["result"][0]["value"][1] == "120"
    body = json.loads(misbehaving.posted[0])
    assert (body["version"], body["status"]) == ("4", "firing")
    assert body["alerts"][0]["labels"] == {"alertname": "Fires", "service": "checkout"}
    path, headers = misbehaving.asked[0]
    assert (path, headers["Authorization"]) == ("/hook", "Bearer tok-1")
