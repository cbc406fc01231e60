"""The one mask over everything that an attempt leaves for people to read: errors, tracebacks, events, results, logs."""

import re
from functools import lru_cache
from typing import Any

from django.conf import settings

MASK = "***"

_SECRET_WORDS = (
    r"(?:api[_-]?key|access[_-]?key|private[_-]?key|[\w.-]*key|[\w.-]*token|[\w.-]*secret|[\w.-]*passw(?:or)?d)"
)
_PATTERNS = (
    # scheme://user:password@host
    (re.compile(r"(?P<keep>\b[a-z][a-z0-9+.-]*://)[^\s/@'\"]+@", re.IGNORECASE), rf"\g<keep>{MASK}@"),
    (re.compile(r"(?P<keep>\b(?:bearer|basic)\s+)[\w.~+/=-]{4,}", re.IGNORECASE), rf"\g<keep>{MASK}"),
    # key=…, "token": "…", password: …; the quotes stay, so that what was JSON is still JSON
    (
        re.compile(rf"(?P<keep>\b{_SECRET_WORDS}[\"']?\s*=\s*[\"']?)[^\s\"'&,;)}}\]]+", re.IGNORECASE),
        rf"\g<keep>{MASK}",
    ),
    (re.compile(rf"(?P<keep>[\"']{_SECRET_WORDS}[\"']\s*:\s*[\"'])[^\"']+", re.IGNORECASE), rf"\g<keep>{MASK}"),
    (
        re.compile(r"(?P<keep>\b(?:password|passwd|secret|token)\s*:\s*)[^\s\"'&,;)}\]]+", re.IGNORECASE),
        rf"\g<keep>{MASK}",
    ),
)
# One cheap look decides whether the patterns are worth running at all.
_SUSPICIOUS = re.compile(r"://[^\s/]*@|bearer|basic|key|token|secret|passw", re.IGNORECASE)
_SECRET_NAME = re.compile(
    r"(?:.*[_-])?(?:password|passwd|secret|token|authorization|api[_-]?key|access[_-]?key|private[_-]?key)",
    re.IGNORECASE,
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
    """``value`` with every string in it masked, and whole values whose key names a secret."""
    if isinstance(value, str):
        return mask_text(value)
    if isinstance(value, dict):
        return {
            mask_text(name) if isinstance(name, str) else name: MASK
            if isinstance(name, str) and isinstance(inner, str) and _SECRET_NAME.fullmatch(name)
            else mask_json(inner)
            for name, inner in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [mask_json(inner) for inner in value]
    return value
