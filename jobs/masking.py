"""The one mask over everything that an attempt leaves for people to read: errors, tracebacks, events, results, logs."""

import re
from functools import lru_cache
from typing import Any

from django.conf import settings

MASK = "***"

# Each pattern starts at a fixed word and never looks back, so that a long log takes time in proportion to its length.
_WORD = r"(?:key|token|secret|passw(?:or)?d)"
# In prose a password is told from a plain word by a digit or a sign in it, or by its length.
_NO_PLAIN_WORD = r"(?=[^\s\"'`,;()]{0,64}[\d!@#$%^&+=~]|[^\s\"'`,;()]{24})[^\s\"'`,;()]{6,}"
# Who issued it can be told from its start: OpenAI and kin, GitHub, Slack, AWS, GitLab; and JSON web tokens.
_ISSUED = (
    r"sk-(?=[\w-]{0,40}\d)[\w-]{16,}|gh[pousr]_\w{16,}|github_pat_\w{16,}|xox[abeprs]-[\w-]{10,}"
    r"|A[KS]IA[A-Z0-9]{16}|glpat-[\w-]{16,}|eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?"
)


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
    # the password hunter2, this token is "hunter2"
    (_pattern(r"\b(?:passw(?:or)?d|token)\s(?:(?:is|was)\s)?[\"'`]?", _NO_PLAIN_WORD), rf"\g<keep>{MASK}"),
    (re.compile(rf"(?<![\w-])(?:{_ISSUED})"), MASK),
    # -----BEGIN … PRIVATE KEY-----, also one whose end is cut off
    (_pattern(r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----", r"(?:(?!-----).)+"), rf"\g<keep>{MASK}"),
)
# One cheap look decides whether the patterns are worth running at all.
_SUSPICIOUS = re.compile(
    r"://[^\s/]*@|bearer|basic|key|token|secret|passw|sk-|gh[pousr]_|github_pat_|xox[abeprs]-|A[KS]IA|glpat-|eyJ",
    re.IGNORECASE,
)
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
