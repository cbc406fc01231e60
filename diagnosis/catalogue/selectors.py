"""Label values into PromQL: whatever stands in one stays inside its quotes."""

import re
from collections.abc import Mapping
from typing import Final

LABEL: Final = re.compile(r"([a-zA-Z_][a-zA-Z0-9_]*)(=~|!=|!~|=)?")
_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def quoted(value: str) -> str:
    """A string of PromQL that means exactly ``value``; half a character, which no text may hold, becomes U+FFFD."""
    return '"' + "".join(map(_escaped, value)) + '"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character < " " or character == "\x7f":
        return f"\\x{ord(character):02x}"
    return "\N{REPLACEMENT CHARACTER}" if "\ud800" <= character <= "\udfff" else character


def matchers(selector: Mapping[str, str]) -> str:
    """What stands between the braces: ``{"job": "a", "pod=~": "a-.*"}`` → ``job="a",pod=~"a-.*"``.

    A name may end with its operator (``=``, ``!=``, ``=~``, ``!~``). Raises ``ValueError`` for any other name.
    """
    parts = []
    for name, value in selector.items():
        match = LABEL.fullmatch(name)
        if match is None:
            raise ValueError(f"{name!r} is no label name.")
        parts.append(f"{match[1]}{match[2] or '='}{quoted(value)}")
    return ",".join(parts)


def narrows(selector: Mapping[str, str]) -> bool:
    """Whether one matcher wants a certain value: without one, everybody's series would be taken for the service's."""
    return any(value not in ("", ".*") and not name.endswith(("!=", "!~")) for name, value in selector.items())
