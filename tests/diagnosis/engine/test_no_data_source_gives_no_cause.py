from dataclasses import replace

from diagnosis.engine.types import Answer, Topology
from diagnosis.replay.run import diagnose
from diagnosis.replay.tools import FolderTools
from tests.diagnosis.engine.planted import diagnosed, incident_of, slow_pay


def test_without_any_data_the_report_says_what_is_missing_and_names_nothing() -> None:
    report = diagnosed(incident_of([])).report
    assert report["verdict"] == "inconclusive"
    assert report["rootCause"] is None
    assert report["candidates"] == []
    assert any("No data source gave any values" in gap for gap in report["dataGaps"])
    assert "shop" in report["summary"]["text"]


def test_a_source_that_fails_is_named_as_a_gap() -> None:
    class Broken(FolderTools):
        def metric(self, node: str, family: str, window: object, step: float) -> Answer:
            return Answer(1, [], error="unreachable")

    incident = incident_of(slow_pay())
    report = diagnose(incident.subject, Broken(incident)).report
    assert report["verdict"] == "inconclusive"
    assert "latency of pay could not be read (unreachable)." in report["dataGaps"]


def test_a_question_without_alert_and_services_is_answered_honestly() -> None:
    incident = incident_of([], topology=Topology())
    subject = {**incident.subject, "alert": None, "alerts": [], "incident": None, "query": "why is it slow?"}
    report = diagnosed(replace(incident, subject=subject)).report
    assert report["verdict"] == "inconclusive"
    assert report["summary"]["evidence"]
