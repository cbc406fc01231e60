"""What an attempt's error looks like once it is stored: bounded, masked, and never an error of its own."""

import traceback as tracebacks
from dataclasses import dataclass

from jobs.masking import mask_text

MAX_MESSAGE = 1_000
MAX_TRACEBACK = 20_000
TIMED_OUT = "Background job timed out."
WORKER_LOST = "Worker lost: the lease expired."


@dataclass(frozen=True, slots=True)
class Failure:
    """Error class, message (at most 1,000 characters) and traceback, each masked."""

    error_class: str
    message: str
    traceback: str = ""


def failure_of(error: BaseException) -> Failure:
    """What to store of ``error``; its class name stands in where its text is empty or cannot be had."""
    name = type(error).__name__
    return Failure(name[:200], message_of(error), _traceback_of(error))


def message_of(error: BaseException) -> str:
    name = type(error).__name__
    try:
        text = str(error).strip() or name
    except Exception:
        text = name
    return mask_text(text)[:MAX_MESSAGE]


def _traceback_of(error: BaseException) -> str:
    try:
        text = "".join(tracebacks.format_exception(error))
    except Exception:
        text = "".join(tracebacks.format_tb(error.__traceback__))
    # The end names the fault; the beginning of a long chain is what can be spared.
    return mask_text(text)[-MAX_TRACEBACK:]
