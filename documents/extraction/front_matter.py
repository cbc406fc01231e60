"""The YAML block at the head of a Markdown file, as flat metadata."""

import re

_FRONT = re.compile(r"\A---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_PAIR = re.compile(r"^([A-Za-z_][\w.-]{0,63})[ \t]*:[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_MAX_KEYS = 50
_MAX_VALUE_CHARACTERS = 500


def front_matter(text: str) -> tuple[dict[str, str | list[str]], int]:
    """``metadata, offset`` where the document proper begins; ``{}, 0`` without front matter.

    Top-level ``key: value`` pairs and one-line lists are kept, as strings; nesting is not read. No YAML loader: what
    a stranger's file can make one build (aliases, types) is nothing that a list of tags needs.
    """
    match = _FRONT.match(text)
    if match is None:
        return {}, 0
    pairs = _PAIR.findall(match[1] or "")[:_MAX_KEYS]
    return {key: _value(raw) for key, raw in pairs if raw}, match.end()


def _value(raw: str) -> str | list[str]:
    if raw.startswith("[") and raw.endswith("]"):
        return [_plain(item) for item in raw[1:-1].split(",") if item.strip()][:_MAX_KEYS]
    return _plain(raw)


def _plain(raw: str) -> str:
    value = raw.strip()
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    return value[:_MAX_VALUE_CHARACTERS]
