"""From bytes to text: byte order mark, UTF-8, then a guess among few encodings; bytes that are no text are refused."""

import re

from charset_normalizer import from_bytes

from documents.errors import GARBLED, TOO_LARGE, UNSUPPORTED_TYPE, BadDocument

MAX_TEXT_BYTES = 20 * 1024 * 1024
# The guess reads this much: enough to be sure, little enough to be quick on a file of 20 MB.
_SAMPLE_BYTES = 64 * 1024

_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_CANDIDATES = ["gb18030", "big5", "cp932", "euc_kr", "utf_16_le", "utf_16_be", "cp1252"]
# C0 and C1 without tab and newline, DEL, the byte order mark, and surrogates, which no database takes.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff\ud800-\udfff]")
_MAX_CONTROL_SHARE = 0.02


def decode(data: bytes) -> tuple[str, str]:
    """``text, encoding`` of a text file; newlines are ``\\n``, control characters are gone.

    Raises ``BadDocument``: ``too_large``, ``unsupported_type`` (bytes that are no text), ``garbled``.
    """
    if len(data) > MAX_TEXT_BYTES:
        raise BadDocument(TOO_LARGE, "The text is larger than 20 MB. Split it into several files.")
    raw, encoding = _decoded(data)
    text = raw.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n").replace("\v", "\n").replace("\x85", "\n")
    clean = _CONTROL.sub("", text)
    if len(text) - len(clean) > max(8, _MAX_CONTROL_SHARE * len(text)):
        raise _no_text()
    return clean, encoding


def _decoded(data: bytes) -> tuple[str, str]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strictly(data, encoding), encoding.removesuffix("-sig")
    wide = _wide(data[:_SAMPLE_BYTES])
    if wide:
        return _strictly(data, wide), wide
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return _guessed(data)


def _wide(sample: bytes) -> str | None:
    """UTF-16 of Western text without a mark is valid UTF-8 full of NULs: every second byte is one."""
    half = len(sample) // 2
    if half and sample[1::2].count(0) > 0.6 * half and not sample[::2].count(0):
        return "utf-16-le"
    if half and sample[::2].count(0) > 0.6 * half and not sample[1::2].count(0):
        return "utf-16-be"
    return None


def _strictly(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        sentence = f"The file begins like {encoding} and is not valid {encoding}. Save it again as UTF-8."
        raise BadDocument(GARBLED, sentence) from None


def _guessed(data: bytes) -> tuple[str, str]:
    """A guess for bytes that are not UTF-8. A NUL in them means UTF-16 without a mark, or no text at all."""
    candidates = _CANDIDATES[4:6] if b"\x00" in data[:_SAMPLE_BYTES] else _CANDIDATES
    best = from_bytes(_sample(data), cp_isolation=candidates, enable_fallback=False).best()
    if best is None:
        raise _no_text()
    # Beyond the sample a stray bad byte must not lose a whole runbook.
    text = data.decode(best.encoding, errors="replace")
    if text.count("\ufffd") > max(2, len(text) // 1_000):
        raise BadDocument(GARBLED, "The file's encoding cannot be told. Save it again as UTF-8.")
    return text, best.encoding


def _sample(data: bytes) -> bytes:
    """The start of the file up to a line's end, so that no character is cut: LF is no part of another character."""
    if len(data) <= _SAMPLE_BYTES:
        return data
    end = data.rfind(b"\n", 0, _SAMPLE_BYTES) + 1 or _SAMPLE_BYTES
    return data[: end + end % 2] if b"\x00" in data[:end] else data[:end]  # UTF-16: its LF has a second byte.


def _no_text() -> BadDocument:
    return BadDocument(UNSUPPORTED_TYPE, "The file holds bytes that are no text. Upload Markdown or plain text.")
