from pathlib import Path

import pytest

from diagnosis.replay.errors import BadIncident
from diagnosis.replay.folder import read_folder

INCIDENT = "window: {start: 2026-03-04T09:00:00Z, end: 2026-03-04T10:00:00Z}\nservices: [shop]\n"
METRICS = "time,service,family,name,value\n1772600000,shop,latency,,0.1\n1772600030,shop,latency,,\n"


def folder(path: Path, **files: str) -> Path:
    told = {"incident.yaml": INCIDENT, "metrics.csv": METRICS, **{k.replace("__", "."): v for k, v in files.items()}}
    for name, text in told.items():
        (path / name).write_text(text, encoding="utf-8")
    return path


def test_a_good_folder_is_read(tmp_path: Path) -> None:
    incident = read_folder(folder(tmp_path))
    assert incident.topology.kinds == {"shop": "own"}
    assert [row.family for row in incident.series] == ["latency"]
    assert incident.subject["window"]["start"] == "2026-03-04T09:00:00Z"


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("metrics.csv", METRICS + "yesterday,shop,latency,,1\n", "metrics.csv, line 4: 'yesterday' is no time."),
        ("metrics.csv", METRICS + "1772600060,shop,latency,,fast\n", "metrics.csv, line 4: 'fast' is no number."),
        ("metrics.csv", METRICS + "1772600060,shop\n", "metrics.csv, line 4: A line has 5 columns."),
        ("metrics.csv", METRICS + "1772600060,,latency,,1\n", "metrics.csv, line 4: The service is missing."),
        ("metrics.csv", "a,b\n", "metrics.csv, line 1: The first line must be time,service,family,name,value."),
        ("metrics.csv", METRICS + "1772600000000,shop,latency,,1\n", "line 4: '1772600000000' is no time."),
        ("metrics.csv", METRICS + "3772600000,shop,latency,,1\n3772600060,shop,latency,,1\n", "lie too far apart"),
        ("incident.yaml", "window: {start: [\n", "incident.yaml, line 2: This is no YAML."),
        ("incident.yaml", "- a\n", "incident.yaml: The file must hold a mapping."),
        ("incident.yaml", "title: x\n", "incident.yaml: The window needs a start and an end after it."),
        ("incident.yaml", INCIDENT + "edges: [[a]]\n", "incident.yaml: edges[0] must be a caller and a callee."),
        ("incident.yaml", INCIDENT + "alert: {startsAt: soon}\n", "incident.yaml: alert.startsAt is no time."),
        ("incident.yaml", INCIDENT + "rules: [{alert: A}]\n", "incident.yaml: rules[0] needs an alert and an expr."),
        ("changes.jsonl", '{"service": "a"}\n', "changes.jsonl, line 1: A change needs a service and a time."),
        ("changes.jsonl", "\n{\n", "changes.jsonl, line 2: This is no JSON."),
        ("logs.jsonl", "hello\n", "logs.jsonl, line 1: This is no JSON."),
        ("truth.json", "{", "truth.json: This is no JSON."),
    ],
)
def test_what_is_wrong_is_said_with_file_and_line(tmp_path: Path, file: str, text: str, message: str) -> None:
    path = folder(tmp_path)
    (path / file).write_text(text, encoding="utf-8")
    with pytest.raises(BadIncident) as caught:
        read_folder(path)
    assert message in str(caught.value)


def test_a_missing_folder_and_a_missing_file_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadIncident, match="There is no such folder"):
        read_folder(tmp_path / "nowhere")
    with pytest.raises(BadIncident, match=r"incident\.yaml: This file is missing"):
        read_folder(tmp_path)


def test_a_file_in_another_encoding_is_named(tmp_path: Path) -> None:
    path = folder(tmp_path)
    (path / "metrics.csv").write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(BadIncident, match=r"metrics\.csv: The file is not UTF-8"):
        read_folder(path)
