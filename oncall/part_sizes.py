"""How large the parts of a multipart body are, while the body is still coming in.

A limit on the whole body cannot say whether a file is one byte too large: what else the form holds is not known before
its end. Only sizes are looked at here; whether the form is well made is for Django to say.
"""

import re

_BOUNDARY = re.compile(rb"""boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))""", re.IGNORECASE)
_END_OF_HEADERS = b"\r\n\r\n"


class PartSizes:
    """Feed it the body piece by piece; ``largest`` is the most bytes that one part has had so far."""

    def __init__(self, boundary: bytes) -> None:
        self.largest = 0
        self._delimiter = b"\r\n--" + boundary
        self._size = 0
        self._in_headers = False
        # The first delimiter stands at the very beginning, without a line end before it.
        self._rest = b"\r\n"

    def feed(self, piece: bytes) -> None:
        self._rest += piece
        while self._step():
            pass
        self.largest = max(self.largest, self._size)

    def _step(self) -> bool:
        """Go on to the next delimiter, or to the end of a part's headers; False when it is not there yet."""
        wanted = _END_OF_HEADERS if self._in_headers else self._delimiter
        at = self._rest.find(wanted)
        passed = at if at >= 0 else len(self._rest) - _begun(wanted, self._rest)
        if not self._in_headers:
            self._size += passed
            self.largest = max(self.largest, self._size)
        if at < 0:
            self._rest = self._rest[passed:]
            return False
        self._rest = self._rest[at + len(wanted) :]
        self._in_headers = not self._in_headers
        self._size = 0
        return True


def _begun(wanted: bytes, text: bytes) -> int:
    """How many of the last bytes of ``text`` may be the beginning of ``wanted``."""
    longest = min(len(wanted) - 1, len(text))
    return next((length for length in range(longest, 0, -1) if text.endswith(wanted[:length])), 0)


def part_sizes_of(content_type: bytes) -> PartSizes | None:
    """For a multipart content type with a boundary; None for any other."""
    found = _BOUNDARY.search(content_type) if content_type.lower().startswith(b"multipart/") else None
    return PartSizes(found[1] or found[2]) if found else None
