"""Every line, ours or a library's, is one line of JSON, knows its request, and has been through the mask."""

import json
import logging
from typing import Any

import pytest
import structlog

from oncall.logging import line_formatter


@pytest.fixture
def lines() -> Any:
    """What a handler with our formatter writes."""
    written: list[dict[str, Any]] = []
    handler = logging.Handler()
    handler.emit = lambda record: written.append(json.loads(handler.format(record)))  # type: ignore[method-assign]
    handler.setFormatter(line_formatter())
    root = logging.getLogger()
    root.addHandler(handler)
    yield written
    root.removeHandler(handler)


def test_ours(lines: list[dict[str, Any]]) -> None:
    structlog.get_logger("oncall.test").warning("thing.happened", job_id="job_1", password="hunter2", n=3)
    line = lines[-1]
    assert (line["event"], line["level"], line["logger"], line["job_id"], line["n"]) == (
        "thing.happened",
        "warning",
        "oncall.test",
        "job_1",
        3,
    )
    assert line["timestamp"].endswith("Z")
    assert "hunter2" not in json.dumps(line)


def test_a_librarys(lines: list[dict[str, Any]]) -> None:
    logging.getLogger("some.library").error("failed for %s", "https://user:hunter2@host/x")
    assert lines[-1]["level"] == "error"
    assert "hunter2" not in json.dumps(lines[-1])
    assert "\n" not in json.dumps(lines[-1])


def test_a_traceback(lines: list[dict[str, Any]]) -> None:
    try:
        raise RuntimeError("Authorization: Bearer abcdef0123456789")
    except RuntimeError:
        logging.getLogger("some.library").exception("oh")
    assert "RuntimeError" in lines[-1]["exception"]
    assert "abcdef0123456789" not in json.dumps(lines[-1])


def test_the_request_is_named(lines: list[dict[str, Any]]) -> None:
    with structlog.contextvars.bound_contextvars(request_id="abc"):
        logging.getLogger("some.library").error("oh")
    assert lines[-1]["request_id"] == "abc"
