"""What open event streams cost, and how soon an event is there: a real server, real sockets.

python benchmarks/streams.py            # 200 viewers of one job, ten events a second
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[0] = str(ROOT)  # Not this folder: its ``queue`` would hide the standard library's.

import argparse
import asyncio
import json
import os
import socket
import statistics
import subprocess
import tempfile
import time
import urllib.request

import psutil

SET_UP = """
from django.contrib.auth import get_user_model
from jobs import handlers
from jobs.enqueue import enqueue
from oncall.tokens import create_token
handlers.job_handler("bench")(lambda context: None)
user = get_user_model().objects.create_user("bench", password="x")
print("SAID", enqueue("bench", owner=user).pk, create_token(user, name="bench")[1])
"""
SPEAK = """
import time
from jobs import events
from jobs.testing import claim_one
job, known = claim_one(), 0
for _ in range(round(20 / PAUSE)):
    known = events.append(job, [events.Event("tick", '{"at": %f}' % time.time())], known=known)
    time.sleep(PAUSE)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--viewers", type=int, default=200)
    parser.add_argument("--pause", type=float, default=1.0, help="seconds between two events")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"ONCALL_HOME": folder, "DJANGO_SETTINGS_MODULE": "oncall.settings"}
        manage(environment, "migrate", "-v0")
        _, job, token = manage(environment, "shell", "--no-imports", "-c", SET_UP).split()[-3:]
        port = _free_port()
        command = [sys.executable, "manage.py", "serve", "--no-workers", "--port", str(port)]
        server = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
        try:
            _wait_for(port)
            asyncio.run(watch(environment, psutil.Process(server.pid), port, job, token, options))
        finally:
            server.terminate()
            server.wait(10)


async def watch(
    environment: dict[str, str], server: psutil.Process, port: int, job: str, token: str, options: argparse.Namespace
) -> None:
    viewers, waits = options.viewers, list[float]()
    speak = SPEAK.replace("PAUSE", str(options.pause))
    open_ = asyncio.Semaphore(0)
    tasks = [asyncio.create_task(_view(port, job, token, waits, open_)) for _ in range(viewers)]
    for _ in range(viewers):
        await open_.acquire()
    before, began = _cpu(server), time.monotonic()
    await asyncio.to_thread(manage, environment, "shell", "--no-imports", "-c", speak)
    spent = 100 * (_cpu(server) - before) / (time.monotonic() - began)
    threads = server.num_threads()
    for task in tasks:
        task.cancel()
    ordered = sorted(waits)
    print(f"{viewers} viewers, {len(waits)} events seen: {spent:.1f} % of a core, {threads} threads")
    print(
        f"event p50 {1000 * statistics.median(ordered):.0f} ms, p95 {1000 * ordered[int(0.95 * len(ordered))]:.0f} ms"
    )


async def _view(port: int, job: str, token: str, waits: list[float], open_: asyncio.Semaphore) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = [f"GET /background-jobs/{job}/events:stream HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {token}"]
    writer.write("\r\n".join([*head, "", ""]).encode())
    told = False
    while line := await reader.readline():
        if not told and line.startswith(b"event: job"):
            told = True
            open_.release()
        if line.startswith(b"data: ") and b'"tick"' in line:
            waits.append(time.time() - json.loads(line[6:])["payload"]["at"])


def _cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _wait_for(port: int) -> None:
    for _ in range(300):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2)
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("The server did not start.")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def manage(environment: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr[-3000:])
    return done.stdout


if __name__ == "__main__":
    main()
