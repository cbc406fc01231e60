"""Handlers that leave a line in ``$ONCALL_HOME/notes`` for each thing they do, and wait for files beside it."""

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group
from django.db import DatabaseError

from jobs.handlers import JobContext, LeaseLost, job_handler

PATIENCE_SECONDS = 60


def note(context: JobContext, what: str) -> None:
    """One line, in one write: lines of several processes do not mix."""
    line = f"{what} {context.job.id} {context.job.epoch} {os.getpid()}\n"
    with Path(settings.ONCALL_HOME, "notes").open("a") as notes:
        notes.write(line)


def wait_for(name: str) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not Path(settings.ONCALL_HOME, name).exists() and time.monotonic() < until:
        time.sleep(0.02)


@job_handler("quick")
async def quick(context: JobContext) -> None:
    note(context, "ran")


@job_handler("work")
async def work(context: JobContext) -> str:
    """A little work, with an event and a finish of its own."""
    context.append_event("begun")
    await asyncio.sleep(0.02)
    name = f"{context.job.id} {context.job.epoch}"
    context.finish(lambda: Group.objects.create(name=name))
    return "done"


@job_handler("patient")
def patient(context: JobContext) -> str:
    """Goes on when the file ``go`` is there."""
    context.append_event("begun")
    note(context, "began")
    wait_for("go")
    return "done"


@job_handler("blocked")
def blocked(context: JobContext) -> None:
    """Comes back long after the test has ended."""
    context.append_event("begun")
    note(context, "began")
    time.sleep(PATIENCE_SECONDS)


@job_handler("blocks-the-loop")
async def blocks_the_loop(context: JobContext) -> None:
    note(context, "began")
    time.sleep(PATIENCE_SECONDS)  # noqa: ASYNC251  (that is what is wrong with it)


@job_handler("sleeper")
def sleeper(context: JobContext) -> str:
    """Its first attempt is stopped and woken by the test after another worker did the work; it then tries it all."""
    epoch = context.job.epoch
    context.finish(lambda: Group.objects.create(name=f"finish {epoch}"))
    note(context, "began")
    if epoch > 1:
        context.append_event("second")
        return "second"
    wait_for("go")
    for name, write in _writes(context).items():
        try:
            write()
            note(context, f"wrote-{name}")
        except LeaseLost:
            note(context, f"refused-{name}")
        except DatabaseError as error:
            note(context, f"failed-{name}-{type(error).__name__}")
    note(context, "tried")
    return "first"


def _writes(context: JobContext) -> dict[str, Callable[[], Any]]:
    def fenced() -> None:
        with context.fenced():
            Group.objects.create(name=f"fenced {context.job.epoch}")

    return {
        "event": lambda: context.append_event("first"),
        "progress": lambda: context.progress(1),
        "fenced": fenced,
    }
