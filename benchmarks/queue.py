"""How fast the queue is, measured from outside: real worker processes, a fresh database each round.

    python benchmarks/queue.py                      # drain, start latency and idle cost on SQLite
    python benchmarks/queue.py --peers PATH         # the same, interleaved with PATH/peer_sketch.py and its neighbours
    DATABASE_URL=postgres://… python benchmarks/queue.py

Quote medians, and ratios within a round: absolute rates of different days do not compare.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[0] = str(ROOT)  # Not this folder: a module named ``queue`` here would hide the standard library's.

import argparse
import json
import os
import random
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psutil

from benchmarks.bench_jobs import marks

Figures = dict[str, float]
PEERS = {"sketch": "peer_sketch.py", "django-tasks-db": "peer_djtasks.py"}


def main() -> None:
    options = _options()
    subjects: dict[str, Callable[[], Figures]] = {"oncallagent": lambda: measure(options)}
    if options.peers:
        for name, script in PEERS.items():
            subjects[name] = lambda script=script: measure_peer(options, script)  # type: ignore[misc]
    rounds: dict[str, list[Figures]] = {name: [] for name in subjects}
    for number in range(options.rounds):
        for name, run in subjects.items():
            print(f"round {number + 1} of {options.rounds}: {name}", file=sys.stderr)
            rounds[name].append(run())
    report(rounds, as_json=options.json)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=5000)
    parser.add_argument("--concurrency", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--probes", type=int, default=60, help="jobs enqueued one at a time on an idle queue")
    parser.add_argument("--idle-seconds", type=float, default=20)
    parser.add_argument("--peers", type=Path, help="the folder with peer_sketch.py; needs its packages installed")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


# --- Ours -----------------------------------------------------------------------------------------------------------


def measure(options: argparse.Namespace) -> Figures:
    """One round on a fresh installation: drain, then start latency, then idle cost of the same worker process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "marks"
        marks.make(path, slots=options.jobs + options.probes)
        environment = os.environ | {
            "ONCALL_HOME": folder,
            "ONCALL_EXTRA_APPS": "benchmarks.bench_jobs",
            "BENCH_MARKS": str(path),
            "DJANGO_SETTINGS_MODULE": "oncall.settings",
            "PYTHONPATH": str(ROOT),
        }
        _python(environment, "manage.py", "migrate", "-v0")
        _python(environment, __file__, "--enqueue", str(options.jobs))
        with _worker(environment, options.concurrency) as process:
            figures = _drain(process, path, options.jobs)
            figures |= _latency(environment, path, options)
            figures |= _idle(process, options.idle_seconds)
        return figures


def _python(environment: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True).stdout


@contextmanager
def _worker(environment: dict[str, str], concurrency: int) -> Iterator[psutil.Process]:
    command = [sys.executable, "manage.py", "runworkers", "--concurrency", str(concurrency), "-v0"]
    worker = subprocess.Popen(command, cwd=ROOT, env=environment)
    try:
        yield psutil.Process(worker.pid)
    finally:
        worker.terminate()
        worker.wait(30)


def _drain(process: psutil.Process, path: Path, jobs: int) -> Figures:
    """(N - 1) / (start of the last job - start of the first), and the CPU that the worker spent meanwhile."""
    cpu = None
    while True:
        started = [at for at, _ in marks.read(path)[:jobs] if at]
        if started and cpu is None:
            cpu, seen = _cpu_seconds(process), len(started)
        if len(started) == jobs:
            break
        time.sleep(0.01)
    assert cpu is not None
    repeats = sum(runs - 1 for _, runs in marks.read(path)[:jobs])
    assert repeats == 0, f"{repeats} jobs ran twice"
    rate = (jobs - 1) / ((max(started) - min(started)) / 1e9)
    figures = {"drain jobs/s": rate}
    if jobs - seen > jobs // 2:
        figures["drain CPU µs/job"] = 1e6 * (_cpu_seconds(process) - cpu) / (jobs - seen)
    return figures


def _latency(environment: dict[str, str], path: Path, options: argparse.Namespace) -> Figures:
    """From just before the enqueue in another process to the start of the handler, on an idle queue."""
    time.sleep(1.5)
    sent = json.loads(_python(environment, __file__, "--probe", str(options.jobs), str(options.probes)))
    time.sleep(2)
    started = [at for at, _ in marks.read(path)[options.jobs :]]
    assert all(started), "a probe did not run"
    waits = sorted((start - at) / 1e6 for start, at in zip(started, sent, strict=True))
    return {
        "start p50 ms": statistics.median(waits),
        "start p95 ms": waits[int(0.95 * (len(waits) - 1))],
    }


def _idle(process: psutil.Process, seconds: float) -> Figures:
    before = _cpu_seconds(process)
    time.sleep(seconds)
    return {
        "idle CPU %": 100 * (_cpu_seconds(process) - before) / seconds,
        "memory MB": process.memory_info().rss / 2**20,
    }


def _cpu_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


# --- In a process with Django ---------------------------------------------------------------------------------------


def enqueue(jobs: int) -> None:
    from jobs.enqueue import enqueue_many

    enqueue_many("bench_noop", owner=None, items=[{"payload": {"i": number}} for number in range(jobs)])


def probe(first: int, probes: int) -> None:
    """Enqueue one job at a time with random pauses; print the times just before each call."""
    from jobs.enqueue import enqueue as enqueue_one

    sent = []
    for number in range(first, first + probes):
        time.sleep(0.05 + random.random() * 0.1)
        sent.append(time.monotonic_ns())
        enqueue_one("bench_noop", owner=None, payload={"i": number})
    print(json.dumps(sent))


# --- The peers ------------------------------------------------------------------------------------------------------


def measure_peer(options: argparse.Namespace, script: str) -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, script, "--n", str(options.jobs), "--concurrency", str(options.concurrency)]
        environment = os.environ | {"BENCH_DIR": folder}
        output = subprocess.run(command, cwd=options.peers, env=environment, capture_output=True, text=True)
        if output.returncode:
            raise SystemExit(f"{script} failed:\n{output.stderr[-2000:]}")
        line = json.loads(output.stdout.strip().splitlines()[-1])
    return {"drain jobs/s": line["drain_per_s"], "drain CPU µs/job": line.get("cpu_us_per_job", float("nan"))}


# --- The table ------------------------------------------------------------------------------------------------------


def report(rounds: dict[str, list[Figures]], *, as_json: bool) -> None:
    rows: dict[str, dict[str, Any]] = {}
    for name, figures in rounds.items():
        for figure in figures[0]:
            values = [one[figure] for one in figures if figure in one]
            rows[f"{name}: {figure}"] = _row(values, unit=figure.split(" ", 1)[1])
    for name in rounds:
        if name != "oncallagent":
            ratios = [
                ours["drain jobs/s"] / theirs["drain jobs/s"]
                for ours, theirs in zip(rounds["oncallagent"], rounds[name], strict=True)
            ]
            rows[f"drain, oncallagent : {name}"] = _row(ratios, unit="×")
    if as_json:
        print(json.dumps(rows, ensure_ascii=False))
        return
    for figure, row in rows.items():
        print(f"{figure:44} {row['value']:12.2f} {row['unit']:12} ({row['low']:.2f} to {row['high']:.2f})")


def _row(values: list[float], *, unit: str) -> dict[str, Any]:
    return {"value": statistics.median(values), "unit": unit, "low": min(values), "high": max(values)}


if __name__ == "__main__":
    if sys.argv[1:2] in (["--enqueue"], ["--probe"]):
        import django

        django.setup()
        enqueue(int(sys.argv[2])) if sys.argv[1] == "--enqueue" else probe(int(sys.argv[2]), int(sys.argv[3]))
    else:
        main()
