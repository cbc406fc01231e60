"""Which addresses become links. Everything else that looks like one is shown as text."""

import re
from urllib.parse import quote, urlsplit

# No address of ours has these, and a reader of Markdown or HTML might end at one of them.
_NOT_IN_AN_ADDRESS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\\\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
LONGEST = 2_000


def is_web_url(text: str) -> bool:
    """An absolute ``http`` or ``https`` address with a host, on one line."""
    if len(text) > LONGEST or _NOT_IN_AN_ADDRESS.search(text):
        return False
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def escaped_url(url: str) -> str:
    """The address with everything percent-encoded that is none of the characters of an address."""
    return quote(url, safe="%/:?#[]@!$&'*+,;=~-._")
