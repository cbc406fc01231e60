"""What can be wrong with a document: a code for programs and a sentence that a person can act on."""

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


def split_code(message: str) -> tuple[str, str]:
    """``code, sentence`` of an error text; an error that is not ours has the code ``index_failed``."""
    code, colon, sentence = message.partition(": ")
    if colon and code in CODES:
        return code, sentence
    return "index_failed", message


UNSUPPORTED_TYPE = "unsupported_type"
NO_TEXT = "no_text"
GARBLED = "garbled"
TOO_LARGE = "too_large"
EMBEDDER_FAILED = "embedder_failed"

CODES = frozenset({UNSUPPORTED_TYPE, NO_TEXT, GARBLED, TOO_LARGE, EMBEDDER_FAILED})
