import json

from diagnosis.engine import STAGES
from diagnosis.engine.events import event
from diagnosis.engine.times import iso
from diagnosis.engine.types import State
from diagnosis.replay.tools import FolderTools
from tests.diagnosis.engine.planted import ONSET, alert_of, diagnosed, incident_of, slow_pay, texts


def test_facts_ready_names_changes_alerts_and_links_before_anything_is_judged() -> None:
    change = {"service": "pay", "kind": "deploy", "at": iso(ONSET - 60), "version": "2.0", "url": ""}
    other = alert_of("pay", "PayPoolFull")
    incident = incident_of(slow_pay(), changes=[change], alerts=[alert_of(), other])
    tools, state = FolderTools(incident), State(incident.subject)
    intake = STAGES["intake"](state, tools)
    state = State(incident.subject, {"intake": intake.result}, {f.key: n for n, f in enumerate(intake.findings, 1)})
    found = STAGES["facts"](state, tools)
    [(kind, payload)] = found.events
    assert kind == "facts.ready"
    assert "pay was reported changed" in texts(payload["changes"])
    assert "PayPoolFull" in texts(payload["alerts"])
    assert payload["changes"][0]["evidence"] == ["E4"]
    assert len(json.dumps(payload)) < 16_000


def test_other_alerts_are_facts_in_the_report() -> None:
    incident = incident_of(slow_pay(), alerts=[alert_of(), alert_of("pay", "PayPoolFull")])
    assert "PayPoolFull on pay" in texts(diagnosed(incident).report["facts"]["alerts"])


def test_a_hundred_alerts_and_changes_still_make_a_small_event() -> None:
    changes = [
        {"service": f"svc-{n}", "kind": "deploy", "at": iso(ONSET - n), "version": "v" * 300, "url": ""}
        for n in range(200)
    ]
    alerts = [alert_of(f"svc-{n}", "警" * 300 + str(n)) for n in range(200)]
    incident = incident_of(slow_pay(), changes=changes, alerts=alerts)
    state = State(incident.subject, {"intake": STAGES["intake"](State(incident.subject), FolderTools(incident)).result})
    [(_, payload)] = STAGES["facts"](state, FolderTools(incident)).events
    assert len(json.dumps(payload).encode()) < 16_384


def test_an_event_is_cut_as_little_as_it_takes() -> None:
    assert event("warning", {"text": "short"}) == ("warning", {"text": "short"})
    _, payload = event("facts.ready", {"changes": [{"text": "警" * 400}] * 200})
    assert len(payload["changes"]) == 20
    assert len(json.dumps(payload).encode()) <= 16_384
