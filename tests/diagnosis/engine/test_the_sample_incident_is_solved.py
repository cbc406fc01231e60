from dataclasses import replace
from pathlib import Path

import pytest

from diagnosis.replay.folder import read_folder
from diagnosis.replay.run import Diagnosed, diagnose
from diagnosis.replay.tools import FolderTools
from diagnosis.samples.generate import FOLDER, files
from tests.diagnosis.engine.planted import texts

RUNBOOKS = Path(__file__).resolve().parents[3] / "documents" / "samples"


@pytest.fixture(scope="module")
def solved() -> Diagnosed:
    books = {file.stem: file.read_text(encoding="utf-8") for file in sorted(RUNBOOKS.glob("*.md"))}
    incident = replace(read_folder(FOLDER), runbooks=books)
    return diagnose(incident.subject, FolderTools(incident))


def test_payment_and_its_deploy_are_the_cause(solved: Diagnosed) -> None:
    assert solved.report["verdict"] == "confirmed"
    assert solved.report["rootCause"]["node"] == "payment"
    assert solved.report["rootCause"]["mechanism"] == "change"


def test_the_pool_speaks_for_it(solved: Diagnosed) -> None:
    assert "saturation of payment" in texts(solved.report["candidates"][0]["for"])


def test_the_innocent_deploy_and_the_busy_neighbour_are_ruled_out(solved: Diagnosed) -> None:
    ruled_out = texts(solved.report["ruledOut"])
    assert "shipping was reported changed" in ruled_out
    assert "Requests to recommendation itself are answered as usual." in ruled_out


def test_the_other_alert_of_the_incident_is_a_fact(solved: Diagnosed) -> None:
    assert "PaymentPoolExhausted on payment" in texts(solved.report["facts"]["alerts"])
    assert "CheckoutLatencyHigh" not in texts(solved.report["facts"]["alerts"])


def test_the_runbook_about_the_pool_is_quoted_with_its_rollback(solved: Diagnosed) -> None:
    assert "connection-pool-exhausted" in [passage["documentId"] for passage in solved.report["runbooks"]]
    assert any("roll it back first" in action["text"] for action in solved.report["actions"])


def test_the_committed_folder_is_what_the_script_makes() -> None:
    for name, text in files().items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, name


def test_it_is_small() -> None:
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < 400_000
