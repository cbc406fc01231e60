"""How a document is cut, as an upload may ask for it: checked once, kept with the document as JSON."""

import json
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

Strategy = Literal["auto", "markdown-heading", "paragraph", "fixed-character"]
STRATEGIES: tuple[str, ...] = get_args(Strategy)
MIN_CHARACTERS, MAX_CHARACTERS = 100, 5_000
_SIZES = {"maxCharacters", "overlapCharacters"}


class BadChunking(ValueError):
    """The chunking asked for makes no sense; the text says which field and why."""


@dataclass(frozen=True, slots=True)
class Chunking:
    strategy: Strategy = "auto"
    max_characters: int = 1_200
    overlap_characters: int = 0

    def as_json(self) -> dict[str, Any]:
        if self.strategy != "fixed-character":
            return {"strategy": self.strategy}
        sizes = {"maxCharacters": self.max_characters, "overlapCharacters": self.overlap_characters}
        return {"strategy": self.strategy, **sizes}


def read_chunking(value: str | dict[str, Any] | None) -> Chunking:
    """The options in ``value``: JSON text, an object, or None for the default. Raises ``BadChunking``."""
    if value is None or value == "":
        return Chunking()
    options = _object(value)
    strategy = options.get("strategy", "auto")
    if not isinstance(strategy, str) or strategy not in STRATEGIES:
        raise BadChunking(f"chunking.strategy must be one of {', '.join(STRATEGIES)}.")
    _refuse_unknown(options, {"strategy"} | (_SIZES if strategy == "fixed-character" else set()), strategy=strategy)
    if strategy != "fixed-character":
        return Chunking(cast(Strategy, strategy))
    most = _whole(options, "maxCharacters", 1_200, least=MIN_CHARACTERS, most=MAX_CHARACTERS)
    return Chunking("fixed-character", most, _whole(options, "overlapCharacters", 0, least=0, most=most - 1))


def _object(value: str | dict[str, Any]) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise BadChunking("chunking must be a JSON object.") from None
    if not isinstance(value, dict):
        raise BadChunking("chunking must be a JSON object.")
    return value


def _refuse_unknown(options: dict[str, Any], known: set[str], *, strategy: str) -> None:
    for name in sorted(set(options) - known):
        raise BadChunking(f'chunking.{name[:100]} is not known for the strategy "{strategy}".')


def _whole(options: dict[str, Any], name: str, default: int, *, least: int, most: int) -> int:
    value = options.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise BadChunking(f"chunking.{name} must be a whole number from {least} to {most}.")
    return value
