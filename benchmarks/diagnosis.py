"""How long a diagnosis takes over a real Prometheus: from its request to the alert's facts, and to the report.

    python benchmarks/diagnosis.py          # 50 services × 20 metrics × 2 h at 15 s, five diagnoses, one real worker
    python benchmarks/diagnosis.py --import 900     # from request to start, while a worker indexes 900 documents

It needs Debian's ``prometheus`` (promtool backfills the recording) and the packages of the tests.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[0] = str(ROOT)  # Not this folder: its ``queue`` would hide the standard library's.

import argparse
import json
import math
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator

from tests.daemons import Metric, prometheus

STEP = 15.0
HOURS = 2
FAMILIES = ("latency", "errors", "traffic", "cpu", "memory", "saturation", "network", "restarts")
SET_UP = """
import json, sys
from datetime import UTC, datetime
from django.contrib.auth import get_user_model
from diagnosis.models import Alert, DataSource, Incident, Service, ServiceEdge
from diagnosis.transitions import start_diagnosis
given = json.load(sys.stdin)
owner = get_user_model().objects.create(username="bench")
DataSource.objects.create(owner_user=owner, name="prometheus", kind="prometheus", url=given["url"])
made = [Service.objects.create(owner_user=owner, name=name, selector={"service": name}, templates=given["templates"])
        for name in given["services"]]
for number, service in enumerate(made[1:], start=1):
    ServiceEdge.objects.create(caller=made[(number - 1) // 3], callee=service)
at = datetime.fromtimestamp(given["alertedAt"], UTC)
for number in range(given["count"]):
    incident = Incident.objects.create(owner_user=owner, title=f"slow {number}", opened_at=at)
    alert = Alert.objects.create(owner_user=owner, incident=incident, source="bench", fingerprint=str(number),
        name="Slow", service=made[0].name, starts_at=at, last_seen_at=at, labels={"alertname": "Slow"})
    start_diagnosis(owner_id=owner.pk, incident=incident, alert=alert)
"""
READ = """
import json
from diagnosis.models import Diagnosis
from jobs.models import Job, JobEvent
rows = []
for diagnosis in Diagnosis.objects.order_by("completed_at"):
    job = Job.objects.get(pk=diagnosis.job_id)
    facts = JobEvent.objects.get(job=job, type="facts.ready").created_at
    rows.append({"facts": (facts - job.started_at).total_seconds(), "verdict": diagnosis.verdict,
                 "report": (job.completed_at - job.started_at).total_seconds(), "calls": diagnosis.tool_calls.count(),
                 "node": (diagnosis.report.body["rootCause"] or {}).get("node")})
print("ROWS", json.dumps(rows))
"""


IMPORT = """
import sys
from django.contrib.auth import get_user_model
from documents.bases import create_base
from documents.uploads import upload
base = create_base(owner_id=get_user_model().objects.create(username="bench").pk, name="import")
for number in range(int(sys.stdin.read())):
    parts = (f"## Part {part} of {number}\\n\\nWhen service {number} fails in way {part}." for part in range(12))
    text = "\\n\\n".join(parts)
    upload(base, file_name=f"runbook-{number}.md", data=f"# Runbook {number}\\n\\n{text}".encode())
"""
ASK = """
import time
from django.contrib.auth import get_user_model
from jobs.models import Job
from diagnosis.transitions import start_diagnosis
owner, waits = get_user_model().objects.get(username="bench"), []
for _ in range(10):
    job = start_diagnosis(owner_id=owner.pk, query="why?")[1]
    while job.started_at is None:
        time.sleep(0.02)
        job.refresh_from_db()
    waits.append((job.started_at - job.created_at).total_seconds())
    time.sleep(0.5)
left = Job.objects.filter(kind="document_index", status__in=["queued", "running"]).count()
print("ROWS", sorted(waits), left)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--services", type=int, default=50)
    parser.add_argument("--metrics", type=int, default=20, help="series of a service")
    parser.add_argument("--diagnoses", type=int, default=5)
    parser.add_argument("--import", type=int, default=0, dest="documents", help="measure the start beside an import")
    options = parser.parse_args()
    if options.documents:
        start_beside_an_import(options.documents)
        return
    with tempfile.TemporaryDirectory() as folder:
        now = time.time()
        recorded = list(metrics(options.services, options.metrics, now))
        with prometheus(Path(folder) / "prometheus", metrics=recorded) as daemon:
            rows = measure(Path(folder) / "home", daemon.url, options, now)
    for figure in ("facts", "report"):
        values = [row[figure] for row in rows]
        print(f"{figure:8} p50 {statistics.median(values):6.2f} s   ({min(values):.2f} to {max(values):.2f})")
    print(f"calls {rows[0]['calls']}, verdict {rows[0]['verdict']}, node {rows[0]['node']}")


def measure(home: Path, url: str, options: argparse.Namespace, now: float) -> list[dict[str, float]]:
    home.mkdir()
    environment = os.environ | {"ONCALL_HOME": str(home), "DJANGO_SETTINGS_MODULE": "oncall.settings"}
    per_family = options.metrics // len(FAMILIES)
    told = {
        "url": url,
        "services": [f"svc{number:02}" for number in range(options.services)],
        "templates": {family: f"shop_{family}{{$selector}}" for family in FAMILIES},
        "alertedAt": now - 600,
        "count": options.diagnoses,
    }
    assert per_family >= 1
    manage(environment, "migrate", "-v0")
    manage(environment, "shell", "--no-imports", "-c", SET_UP, given=json.dumps(told))
    manage(environment, "runworkers", "--concurrency", "1", "--burst", "-v0")
    output = manage(environment, "shell", "--no-imports", "-c", READ)
    rows: list[dict[str, float]] = json.loads(output.split("ROWS ", 1)[1])
    return rows


def start_beside_an_import(documents: int) -> None:
    """Ten diagnoses, one after the other, while a worker of concurrency 4 indexes."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"ONCALL_HOME": folder, "DJANGO_SETTINGS_MODULE": "oncall.settings"}
        manage(environment, "migrate", "-v0")
        manage(environment, "shell", "--no-imports", "-c", IMPORT, given=str(documents))
        command = [sys.executable, "manage.py", "runworkers", "--concurrency", "4", "-v0"]
        worker = subprocess.Popen(command, cwd=ROOT, env=environment)
        try:
            time.sleep(5)
            said = manage(environment, "shell", "--no-imports", "-c", ASK).split("ROWS ", 1)[1]
        finally:
            worker.terminate()
            worker.wait(60)
    waits, left = said.rsplit("]", 1)
    values = [float(wait) for wait in waits.strip("[ ").split(",")]
    print(f"start p50 {statistics.median(values):.3f} s, worst {max(values):.3f} s; {left.strip()} documents to index")


def manage(environment: dict[str, str], *arguments: str, given: str = "") -> str:
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, input=given, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr[-3000:])
    return done.stdout


def metrics(services: int, each: int, now: float) -> Iterator[Metric]:
    """``each`` series of every service; the fifth service turns slow 15 minutes before now, and all above it."""
    times = [now - STEP * number for number in range(int(HOURS * 3600 / STEP), -1, -1)]
    slow = {4, 1, 0}
    for service in range(services):
        for number in range(each):
            family = FAMILIES[number % len(FAMILIES)]
            labels = {"service": f"svc{service:02}", "instance": str(number // len(FAMILIES))}
            bad = service in slow and family in ("latency", "saturation")
            yield Metric(f"shop_{family}", labels, [(at, _value(at, now, service + number, bad=bad)) for at in times])


def _value(at: float, now: float, phase: int, *, bad: bool) -> float:
    return (0.9 if bad and at > now - 900 else 0.3) + 0.01 * math.sin(at / 60 + phase)


if __name__ == "__main__":
    main()
