"""SIGKILL in the middle of a diagnosis: another worker goes on from the checkpoint to the very same report."""

import json
from pathlib import Path

import pytest

from diagnosis.states import Stage
from tests.e2e.worker_process import Home, eventually

pytestmark = pytest.mark.e2e

APPS = "tests.e2e.worker_jobs,tests.e2e.deadly_stages"
BEGIN = (
    "from django.contrib.auth import get_user_model\nfrom diagnosis.samples.load import load_sample_incident\n"
    "owner = get_user_model().objects.create(username='owner')\nload_sample_incident(owner.pk)"
)


def begun(home: Home) -> None:
    done = home.run("shell", "--no-imports", "-c", BEGIN)
    assert done.returncode == 0, done.stderr
    home.ask("UPDATE jobs_job SET available_at = created_at")  # No sample runbooks to wait for here.


def left(home: Home) -> dict[str, object]:
    """Everything that the diagnosis leaves, without ids and times."""
    ((diagnosis, incident, alert, report),) = home.ask(
        "SELECT d.id, d.incident_id, d.alert_id, r.body FROM diagnosis_diagnosis d"
        " JOIN diagnosis_report r ON r.diagnosis_id = d.id"
    )
    alerts = [row[0] for row in home.ask("SELECT id FROM diagnosis_alert ORDER BY fingerprint")]
    text = report.replace(incident, "INC")
    for number, one in enumerate(alerts):
        text = text.replace(one, f"ALERT{number}")
    assert diagnosis and alert
    events = home.ask("SELECT type, payload FROM jobs_jobevent ORDER BY sequence")
    return {
        "report": text,
        "steps": home.ask("SELECT stage FROM diagnosis_step ORDER BY id"),
        "calls": home.ask("SELECT number, tool, arguments FROM diagnosis_toolcall ORDER BY number"),
        "evidence": home.ask("SELECT number, kind, node FROM diagnosis_evidence ORDER BY number"),
        "events": [
            (kind, json.loads(payload).get("stage"), json.loads(payload).get("call")) for kind, payload in events
        ],
    }


def finish(home: Home) -> None:
    eventually(
        lambda: home.count("succeeded") == 1,
        seconds=90,
        what=lambda: f"the report ({home.ask('SELECT * FROM jobs_job')})",
    )


def test_the_report_is_the_same_in_whatever_stage_it_was_killed(home: Home, tmp_path: Path) -> None:
    undisturbed = home.copy(tmp_path / "undisturbed")
    begun(undisturbed)
    disturbed = {stage: undisturbed.copy(tmp_path / stage) for stage in Stage.ALL}
    for stage, one in disturbed.items():
        (one.folder / "deadly").write_text(stage)
    try:
        doomed = [one.worker_with(APPS, "--lease-seconds", "6") for one in disturbed.values()]
        undisturbed.worker("--lease-seconds", "6")
        assert [worker.exit_code(seconds=90) for worker in doomed] == [-9] * len(Stage.ALL)
        for one in disturbed.values():
            one.worker("--lease-seconds", "6")
        for one in (undisturbed, *disturbed.values()):
            finish(one)
    finally:
        for one in (undisturbed, *disturbed.values()):
            one.clear()
    for stage, one in disturbed.items():
        ((job_id,),) = one.ask("SELECT id FROM jobs_job")
        assert one.outcomes(job_id) == ["lost", "succeeded"], stage
        assert left(one) == left(undisturbed), stage
