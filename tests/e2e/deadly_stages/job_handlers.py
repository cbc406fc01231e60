import os
import signal
from functools import partial
from pathlib import Path

from django.conf import settings

from diagnosis import running
from diagnosis.engine.stages import StageFunction
from diagnosis.engine.types import Found, State, Tools

DEADLY = Path(settings.ONCALL_HOME) / "deadly"


def _deadly(name: str, stage: StageFunction, state: State, tools: Tools) -> Found:
    found = stage(state, tools)
    if DEADLY.exists() and DEADLY.read_text() == name:
        DEADLY.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return found


running.STAGES = {name: partial(_deadly, name, stage) for name, stage in running.STAGES.items()}  # type: ignore[misc]
