"""Jobs and workers for operators: all of it to read, and two actions, which call the same transitions as everyone."""

from jobs.admin.jobs import JobAdmin
from jobs.admin.workers import WorkerAdmin

__all__ = ["JobAdmin", "WorkerAdmin"]
