"""What is kept of an error: its text, masked, at most 1,000 characters, and never an error of its own."""

import pytest

from jobs.errors import MAX_MESSAGE, MAX_TRACEBACK, failure_of, message_of
from jobs.handlers import JobContext
from jobs.testing import registered, run_one
from tests.jobs.steps import NOON, attempt_of, queue, row, take_one


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text to be had")


class NoText(Exception):
    def __str__(self) -> str:
        return 7  # type: ignore[return-value]  # noqa: PLE0307


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("The page has no text."), "The page has no text."),
        (ValueError(), "ValueError"),
        (ValueError("   \n"), "ValueError"),
        (Mute(), "Mute"),
        (NoText(), "NoText"),
        (ValueError("a\x00b\ud800"), "a\ufffdb\ufffd"),
        (ConnectionError("https://user:hunter2@host/"), "https://***@host/"),
        (ExceptionGroup("two", [ValueError("a"), KeyError("b")]), "two (2 sub-exceptions)"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_the_text(error: BaseException, text: str) -> None:
    failure = failure_of(error)
    assert (failure.message, failure.error_class) == (text, type(error).__name__)


def test_it_is_cut_after_the_mask_and_not_before() -> None:
    """Else the half of a secret at the edge would be shown."""
    for room in range(1, 40):
        text = message_of(ValueError("x" * (MAX_MESSAGE - room) + " https://user:hunter2@host/"))
        assert "hunter2"[: max(3, room - 15)] not in text
        assert len(text) <= MAX_MESSAGE
    assert len(message_of(ValueError("x" * 1_000_000))) == MAX_MESSAGE


def test_the_traceback_keeps_its_end() -> None:
    try:
        raise ValueError("password=hunter2 " + "x" * 2 * MAX_TRACEBACK + " the end")
    except ValueError as error:
        traceback = failure_of(error).traceback
    assert len(traceback) == MAX_TRACEBACK
    assert traceback.rstrip().endswith("the end")
    assert "hunter2" not in traceback


def test_a_chain_that_bites_its_tail() -> None:
    first, second = ValueError("one"), ValueError("two")
    first.__cause__, second.__cause__ = second, first
    assert failure_of(first).message == "one"


@pytest.mark.django_db
@pytest.mark.usefixtures("kinds")
@pytest.mark.parametrize("error", [Mute(), ValueError("token=hunter2 " + "x\x00" * 5_000)])
def test_it_reaches_the_job_and_its_attempt(error: Exception) -> None:
    def broken(context: JobContext) -> None:
        raise error

    with registered("broken", max_attempts=1) as handler:
        handler(broken)
        job = queue("broken")
        assert run_one(take_one(), now=NOON) == "failed"
    attempt = attempt_of(job)
    assert row(job)["error_message"] == attempt.error_message == message_of(error)
    assert (attempt.error_class, "hunter2" in attempt.traceback) == (type(error).__name__, False)
    assert "broken" in attempt.traceback
