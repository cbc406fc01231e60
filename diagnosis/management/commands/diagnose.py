"""``manage.py diagnose --replay FOLDER``: an incident folder through the engine, without database, job or network."""

import json
from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from diagnosis.replay.errors import BadIncident
from diagnosis.replay.folder import read_folder
from diagnosis.replay.incident import Incident
from diagnosis.replay.run import Diagnosed
from diagnosis.replay.run import diagnose as run
from diagnosis.replay.tools import FolderTools


class Command(BaseCommand):
    help = "Diagnose a recorded incident folder: prints verdict and ranking, exits with 1 when it cannot be read."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--replay", type=Path, required=True, metavar="FOLDER", help="the incident folder")
        parser.add_argument("--runbooks", type=Path, metavar="FOLDER", help="Markdown files to quote from")
        parser.add_argument("--output", type=Path, metavar="FILE", help="where to write the report as JSON")

    def handle(self, *args: Any, replay: Path, runbooks: Path | None, output: Path | None, **options: Any) -> None:
        try:
            incident = _with_runbooks(read_folder(replay), runbooks)
            diagnosed = run(incident.subject, FolderTools(incident))
        except BadIncident as error:
            raise CommandError(str(error)) from None
        self._print(diagnosed)
        if output is not None:
            _write(output, diagnosed)

    def _print(self, diagnosed: Diagnosed) -> None:
        report = diagnosed.report
        self.stdout.write(f"{report['verdict']}: {report['summary']['text']}")
        for place, row in enumerate(report["candidates"], start=1):
            since = row["onset"] or "unknown"
            self.stdout.write(f"{place}. {row['node']} ({row['mechanism']}), score {row['score']:.3g}, since {since}")
            for sign, side in (("+", "for"), ("-", "against")):
                for claim in row[side]:
                    self.stdout.write(f"   {sign} {claim['text']} [{', '.join(claim['evidence'])}]")
        for heading, sentences in (("Unknown", report["unknown"]), ("Missing", report["dataGaps"])):
            for sentence in sentences:
                self.stdout.write(f"{heading}: {sentence}")


def _with_runbooks(incident: Incident, folder: Path | None) -> Incident:
    if folder is None:
        return incident
    texts = {file.stem: file.read_text(encoding="utf-8", errors="replace") for file in sorted(folder.glob("*.md"))}
    return replace(incident, runbooks={**incident.runbooks, **texts})


def _write(output: Path, diagnosed: Diagnosed) -> None:
    try:
        text = json.dumps(diagnosed.report, ensure_ascii=False, indent=1)
        output.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise CommandError(f"The report cannot be written to {output} ({error.strerror}).") from None
