"""Public ids: a prefix that says what the row is, and a UUIDv7 in hex, so that inserts stay local in the index."""

import secrets
import time


def new_id(prefix: str) -> str:
    """``prefix`` + ``_`` + 32 hex digits (RFC 9562, version 7: milliseconds, a finer fraction, then 62 random bits)."""
    milliseconds, rest = divmod(time.time_ns(), 1_000_000)
    fraction = (rest << 12) // 1_000_000
    value = (milliseconds & (1 << 48) - 1) << 80 | 0x7 << 76 | fraction << 64 | 0b10 << 62 | secrets.randbits(62)
    return f"{prefix}_{value:032x}"
