"""Text that reads like an order to whoever reads it. It is recorded as exactly that, and steers nothing.

Nothing in this engine follows text: these lines are found so that a person sees that somebody planted them."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from diagnosis.engine.types import Finding

_ORDER = re.compile(
    r"(ignore|disregard|forget|override)\W+(\w+\W+){0,4}(instruction|rule|prompt|evidence|previous|above|finding)"
    r"|\b(system|assistant|developer)\s*(prompt|message)?\s*:"
    r"|you\s+are\s+now\b|you\s+(must|should|will|shall)\s+(now\s+|only\s+)?(say|answer|report|conclude|mark|reply|output|obey)"
    r"|(the\s+)?(root\s+cause|verdict)\s+(is|must\s+be|should\s+be)\b"
    r"|(mark|report|conclude|set|say|answer|respond|output)\W+(\w+\W+){0,5}(confirmed|resolved|no.anomaly|root\s+cause|inconclusive|healthy)"
    r"|(do\s+not|don't|never)\W+(\w+\W+){0,2}(mention|report|investigate|look|blame)"
    r"|<\s*/?\s*(system|instruction|tool|assistant)"
    r"|忽略.{0,12}(指令|说明|规则|证据)|根因(是|必须)|请(判定|回答|输出)",
    re.IGNORECASE,
)
_MOST_CHARACTERS = 300
_MOST_FOUND = 40


def reads_like_an_order(text: str) -> bool:
    return _ORDER.search(text) is not None


def orders_in(texts: Iterable[tuple[str, str]]) -> list[Finding]:
    """A finding for every line of ``texts`` (where, text) that reads like an order, at most 40, each once."""
    found: dict[str, Finding] = {}
    for where, text in texts:
        for number, line in enumerate(text.splitlines()):
            if not reads_like_an_order(line) or len(found) >= _MOST_FOUND:
                continue
            key = f"instruction:{where}:{number}"[:300]
            summary = f"A line in {where} reads like an instruction; it was recorded and not followed."
            found[key] = Finding(key, "instruction", summary, sample={"where": where, "text": line[:_MOST_CHARACTERS]})
    return list(found.values())


def texts_of(name: str, given: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """The labels and annotations of one alert as (where, text), in a fixed order."""
    texts = [(f"{name}, {field}", str((given or {}).get(field) or "")) for field in ("name", "service")]
    for part in ("labels", "annotations"):
        values = (given or {}).get(part) or {}
        texts += [(f"{name}, {part}.{key}", f"{key}: {values[key]}") for key in sorted(values)]
    return texts
