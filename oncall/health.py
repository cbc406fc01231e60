"""``/health`` says that the process answers; ``/ready`` that the installation can do its work, or which part cannot."""

from collections.abc import Callable
from importlib import import_module

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_safe
from structlog import get_logger

from jobs.models import Worker
from oncall.api.errors import CODES

log = get_logger(__name__)
# What a search and an index job stand on.
STORE_MODULES = ("documents.stores", "documents.embedding")


@require_safe
def alive(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"status": "alive"})


@require_safe
def ready(request: HttpRequest) -> HttpResponse:
    """200, or 503 in the error shape whose ``attr`` is the first bad part; no further part is asked then."""
    for name, probe in PROBES.items():
        if problem := probe():
            log.warning("ready.failed", part=name, problem=problem)
            error = {"code": CODES[503], "detail": problem, "attr": name}
            return JsonResponse({"type": "server_error", "errors": [error]}, status=503)
    return JsonResponse({"status": "ready", "parts": list(PROBES)})


def _database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return "The database does not answer."
    return ""


def _migrations() -> str:
    missing = missing_migrations()
    return f"{len(missing)} migrations are not applied: run manage.py migrate." if missing else ""


def _workers() -> str:
    running = Worker.objects.filter(expires_at__gt=timezone.now(), state=Worker.State.RUNNING)
    return "" if running.exists() else "No live worker: start manage.py runworkers."


def _stores() -> str:
    for name in STORE_MODULES:
        try:
            import_module(name)
        except ImportError:
            return f"{name} cannot be loaded."
    return ""


def missing_migrations() -> list[str]:
    """The names of migrations that are on disk and not in the database."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [f"{migration.app_label}.{migration.name}" for migration, _ in plan]


PROBES: dict[str, Callable[[], str]] = {
    "database": _database,
    "migrations": _migrations,
    "workers": _workers,
    "stores": _stores,
}
