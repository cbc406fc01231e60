"""What can be wrong with a document: a code for programs and a sentence that a person can act on."""

import jobs.errors
from jobs.handlers import PermanentError


class DocumentError(Exception):
    """Another attempt may help. ``str()`` is ``code: sentence``, so that the job's error can be read by both."""

    permanent = False

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(f"{code}: {sentence}")
        self.code = code
        self.sentence = sentence


class BadDocument(DocumentError, PermanentError):
    """The bytes themselves are at fault: no other attempt can mend it."""

    permanent = True


UNSUPPORTED_TYPE = "unsupported_type"
NO_TEXT = "no_text"
GARBLED = "garbled"
TOO_LARGE = "too_large"
EMPTY_FILE = "empty_file"
EMBEDDER_FAILED = "embedder_failed"
INDEX_FAILED = "index_failed"
TIMED_OUT = "timed_out"
WORKER_LOST = "worker_lost"

_OURS = frozenset({UNSUPPORTED_TYPE, NO_TEXT, GARBLED, TOO_LARGE, EMPTY_FILE, EMBEDDER_FAILED})
# What the runtime itself says of an attempt.
_OF_THE_RUNTIME = {
    jobs.errors.TIMED_OUT: (TIMED_OUT, "Indexing took longer than it may. Split the file, or retry."),
    jobs.errors.WORKER_LOST: (
        WORKER_LOST,
        "The worker stopped in the middle each time. See its log, or retry.",
    ),
}


def split_code(message: str) -> tuple[str, str]:
    """``code, sentence`` of a job's error text; an error that is not ours has the code ``index_failed``."""
    if message in _OF_THE_RUNTIME:
        return _OF_THE_RUNTIME[message]
    code, colon, sentence = message.partition(": ")
    return (code, sentence) if colon and code in _OURS else (INDEX_FAILED, message)
