"""Logs: one line an entry, ``key=value`` on a terminal and JSON anywhere else; every value goes through the mask.

Structlog's loggers and those of the standard library end in the same handler. Read while the settings load, so this
imports no Django and nothing of ours.
"""

import logging
import sys
from typing import Any

import structlog
from structlog.typing import EventDict, Processor

_SHARED: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def logging_settings() -> dict[str, Any]:
    """Configures structlog and gives Django's ``LOGGING``: everything from INFO on goes to standard error."""
    structlog.configure(
        processors=[*_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        cache_logger_on_first_use=True,
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": line_formatter}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": "INFO"},
        "loggers": {
            # Django gives this one a console handler of its own in development; ours is enough.
            "django": {"handlers": [], "level": "INFO", "propagate": True},
            # One line per statement, with its parameters.
            "django.db.backends": {"level": "WARNING"},
            "httpx": {"level": "WARNING"},
        },
    }


def line_formatter() -> logging.Formatter:
    """The formatter of every handler: adds the traceback, masks, renders."""
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=_SHARED,
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            mask_values,
            _renderer(),
        ],
    )


def mask_values(logger: Any, method: str, event: EventDict) -> EventDict:
    """No secret leaves in a line: neither in a text nor as the value of a key that names one."""
    from jobs.masking import mask_json

    masked: EventDict = mask_json({key: _plain(value) for key, value in event.items()})
    return masked


def _plain(value: Any) -> Any:
    return value if isinstance(value, (str, int, float, bool, type(None), dict, list)) else str(value)


def _renderer() -> Processor:
    if sys.stderr.isatty():
        return structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "event"], repr_native_str=False)
    return structlog.processors.JSONRenderer(ensure_ascii=False, default=str)
