import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from diagnosis.samples.generate import FOLDER


def test_it_prints_verdict_and_ranking_and_writes_the_report(tmp_path: Path) -> None:
    out, report = StringIO(), tmp_path / "report.json"
    call_command("diagnose", replay=FOLDER, output=report, stdout=out)
    lines = out.getvalue().splitlines()
    assert lines[0].startswith("confirmed: The cause of the trouble of checkout is a change of payment")
    assert lines[1].startswith("1. payment (change)")
    assert json.loads(report.read_text(encoding="utf-8"))["rootCause"]["node"] == "payment"


def test_a_bad_folder_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"incident\.yaml: This file is missing\.") as caught:
        call_command("diagnose", replay=tmp_path)
    assert caught.value.returncode == 1


def test_a_report_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("diagnose", replay=FOLDER, output=tmp_path / "no" / "report.json", stdout=StringIO())
