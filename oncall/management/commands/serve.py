"""``manage.py serve``: one web process and one ``runworkers`` child beside it."""

import signal
import socket
from argparse import ArgumentParser
from typing import Any

import uvicorn
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connections

from oncall.health import missing_migrations
from oncall.worker_process import WorkerProcess

GRACEFUL_SECONDS = 2
LARGEST_PORT = 65_535


class Command(BaseCommand):
    help = "Run the web process, and one worker process beside it that is started again when it dies."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default=settings.ONCALL_HOST)
        parser.add_argument("--port", type=int, default=settings.ONCALL_PORT)
        parser.add_argument("--concurrency", type=int, default=settings.ONCALL_CONCURRENCY)
        parser.add_argument("--no-workers", action="store_true", help="Web only: workers are run elsewhere.")

    def handle(self, *, host: str, port: int, concurrency: int, no_workers: bool, **options: Any) -> None:
        if concurrency < 1:
            raise CommandError("--concurrency must be at least 1.")
        refuse_without_migrations()
        listener = listen(host, port)
        worker = None if no_workers else WorkerProcess(concurrency=concurrency)
        self.stdout.write(f"OncallAgent listens on http://{_printed(host)}:{listener.getsockname()[1]}/")
        self.stdout.flush()
        signal.signal(signal.SIGTERM, _interrupt)
        try:
            if worker is not None:
                worker.start()
            _run_web(listener)
        except KeyboardInterrupt:
            pass  # Uvicorn has shut down in order, and raises the signal again for whoever started it.
        finally:
            if worker is not None:
                worker.stop()


def refuse_without_migrations() -> None:
    """``CommandError`` (exit 1) when the tables are not those of this version."""
    try:
        missing = missing_migrations()
    except DatabaseError as error:
        raise CommandError(f"The database does not answer: {error}") from None
    finally:
        connections.close_all()
    if missing:
        names = ", ".join(missing[:3]) + (" …" if len(missing) > 3 else "")
        raise CommandError(f"{len(missing)} migrations are not applied ({names}). Run: manage.py migrate")


def listen(host: str, port: int) -> socket.socket:
    """The listening socket, taken before anything starts, so that a taken port is told at once."""
    if not 0 <= port <= LARGEST_PORT:  # The system would take it modulo 65,536.
        raise CommandError(f"--port must be from 0 to {LARGEST_PORT}, not {port}.")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
    except OSError as error:
        raise CommandError(
            f"Cannot listen on {host}:{port}: {error.strerror}. Another server may be running there: "
            "stop it, or choose another port with --port or ONCALL_PORT."
        ) from None
    return listener


def _run_web(listener: socket.socket) -> None:
    config = uvicorn.Config(
        "oncall.asgi:application",
        lifespan="off",
        log_config=None,  # Its loggers go through ours.
        access_log=False,
        proxy_headers=False,  # Whom to believe is ONCALL_TRUSTED_PROXIES' to say.
        server_header=False,
        timeout_graceful_shutdown=GRACEFUL_SECONDS,
    )
    uvicorn.Server(config).run(sockets=[listener])


def _interrupt(number: int, frame: Any) -> None:
    """SIGTERM as Ctrl-C: its default would end us before the worker is told."""
    raise KeyboardInterrupt


def _printed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
