"""The one mask over everything that an attempt leaves for people to read: errors, tracebacks, events, results, logs."""

import re
from functools import lru_cache
from typing import Any

from django.conf import settings

MASK = "***"

# Each pattern starts at a fixed word and never looks back, so that a long log takes time in proportion to its length.
_WORD = r"(?:key|token|secret|passw(?:or)?d)"


def _pattern(keep: str, hidden: str) -> re.Pattern[str]:
    return re.compile(f"(?P<keep>{keep}){hidden}", re.IGNORECASE | re.DOTALL)


_PATTERNS = (
    # scheme://user:password@host
    (_pattern(r"[a-z0-9+.-]://", r"[^\s/'\"]+@"), rf"\g<keep>{MASK}@"),
    (_pattern(r"\b(?:bearer|basic)\s+", r"[\w.~+/=-]{4,}"), rf"\g<keep>{MASK}"),
    # key="…", "token": "…", also with escaped quotes; the quotes stay, so that what was JSON is still JSON
    (_pattern(rf"{_WORD}(?:\\[\"'])?\s*[=:]\s*\\[\"']", r"[^\"'\\]+"), rf"\g<keep>{MASK}"),
    (_pattern(rf"{_WORD}[\"']?\s*[=:]\s*\"", r"(?:[^\"\\]|\\.)+"), rf"\g<keep>{MASK}"),
    (_pattern(rf"{_WORD}[\"']?\s*[=:]\s*'", r"(?:[^'\\]|\\.)+"), rf"\g<keep>{MASK}"),
    # key=…, password: …
    (_pattern(rf"{_WORD}[\"']?\s*=\s*", r"[^\s\"'&,;)}\]]+"), rf"\g<keep>{MASK}"),
    (_pattern(r"\b(?:passw(?:or)?d|secret|token)\s*:\s*", r"[^\s\"'&,;)}\]]+"), rf"\g<keep>{MASK}"),
)
# One cheap look decides whether the patterns are worth running at all.
_SUSPICIOUS = re.compile(r"://[^\s/]*@|bearer|basic|key|token|secret|passw", re.IGNORECASE)
_SECRET_NAME = re.compile(
    r"(?:passw(?:or)?d|secret|token|authorization|(?:api|access|private)[_-]?key)\Z", re.IGNORECASE
)
# PostgreSQL stores neither in text nor in jsonb.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@lru_cache(maxsize=1)
def _own_secrets() -> tuple[str, ...]:
    """The values of our secret settings that are long enough not to occur by chance."""
    values = [settings.SECRET_KEY, *str(getattr(settings, "ONCALL_ENCRYPTION_KEY", "")).split(",")]
    values += [getattr(settings, "ONCALL_ADMIN_PASSWORD", None) or ""]
    values += [str(database.get("PASSWORD") or "") for database in settings.DATABASES.values()]
    return tuple(sorted({value for value in values if len(value) >= 6}, key=len, reverse=True))


def mask_text(text: str) -> str:
    """``text`` without credentials and without characters that a database cannot store."""
    if _UNSTORABLE.search(text):
        text = _UNSTORABLE.sub("\ufffd", text)
    for secret in _own_secrets():
        if secret in text:
            text = text.replace(secret, MASK)
    if _SUSPICIOUS.search(text):
        for pattern, replacement in _PATTERNS:
            text = pattern.sub(replacement, text)
    return text


def mask_json(value: Any) -> Any:
    """``value`` with every string in it masked, and whatever stands under a name that says secret."""
    if isinstance(value, str):
        return mask_text(value)
    if isinstance(value, dict):
        return {
            mask_text(name) if isinstance(name, str) else name: _hidden(inner)
            if isinstance(name, str) and _SECRET_NAME.search(name)
            else mask_json(inner)
            for name, inner in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [mask_json(inner) for inner in value]
    return value


def _hidden(value: Any) -> Any:
    """``value`` with its shape alone: every text and number in it is a secret."""
    if isinstance(value, dict):
        return {mask_text(name) if isinstance(name, str) else name: _hidden(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_hidden(inner) for inner in value]
    return value if value is None or isinstance(value, bool) else MASK
