import json

from diagnosis.claims import MAX_BYTES
from diagnosis.engine.times import iso
from tests.diagnosis.engine.planted import ONSET, alert_of, diagnosed, incident_of, slow_pay


def test_a_thousand_alerts_and_changes_with_long_labels_still_make_a_report() -> None:
    labels = {f"label{n}": "ü" * 300 for n in range(10)}
    alerts = [alert_of(f"svc-{n % 30}", f"Alert{n}", labels=labels) for n in range(1000)]
    changes = [
        {
            "service": f"svc-{n}",
            "kind": "deploy",
            "at": iso(ONSET - n),
            "version": "v" * 500,
            "url": "https://x.example",
        }
        for n in range(1000)
    ]
    incident = incident_of(slow_pay(), changes=changes, alerts=alerts)
    incident = incident_of(slow_pay(), changes=changes, alerts=alerts, subject={**incident.subject, "alerts": alerts})
    report = diagnosed(incident).report
    assert report["candidates"][0]["node"] == "pay"
    assert len(json.dumps(report, ensure_ascii=False).encode()) < MAX_BYTES
    assert any("earlier changes are not listed" in gap for gap in report["dataGaps"])


def test_an_alert_with_huge_labels_keeps_its_name() -> None:
    report = diagnosed(incident_of(slow_pay(), alert=alert_of(labels={"service": "shop", "x": "y" * 500_000}))).report
    assert report["subject"]["alert"]["name"] == "ShopLatencyHigh"
    assert report["candidates"][0]["node"] == "pay"


def test_charts_have_at_most_three_hundred_points_and_keep_the_peak() -> None:
    charts = diagnosed(incident_of(slow_pay())).report["charts"]
    assert {chart["node"] for chart in charts} >= {"shop", "pay"}
    for chart in charts:
        assert len(chart["points"]) <= 300
    assert max(v for _, v in charts[0]["points"] if v is not None) > 2.0
