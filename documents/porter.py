"""Porter's stemmer (M. F. Porter, "An algorithm for suffix stripping", 1980) for lower-case ASCII words.

Written here because both databases must index the very same stems, and neither one's own stemmer exists in the other.
``tests/documents/test_stems_agree_with_fts5.py`` compares it with the stemmer of SQLite's FTS5.
"""

from functools import lru_cache
from itertools import pairwise

_VOWELS = frozenset("aeiou")

_STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("logi", "log"),
    ("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"),
    ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"),
    ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "sion", "tion", "ou", "ism",
    "ate", "iti", "ous", "ive", "ize",
)  # fmt: skip


def _is_consonant(word: str, index: int) -> bool:
    letter = word[index]
    if letter in _VOWELS:
        return False
    return letter != "y" or index == 0 or not _is_consonant(word, index - 1)


def _measure(stem: str) -> int:
    """How many times a vowel is followed by a consonant: Porter's *m*."""
    kinds = [_is_consonant(stem, index) for index in range(len(stem))]
    return sum(1 for before, after in pairwise(kinds) if after and not before)


def _has_vowel(stem: str) -> bool:
    return any(not _is_consonant(stem, index) for index in range(len(stem)))


def _doubled(word: str) -> bool:
    return len(word) >= 2 and word[-1] == word[-2] and _is_consonant(word, len(word) - 1)


def _ends_cvc(word: str) -> bool:
    """Consonant, vowel, consonant at the end, the last not w, x or y: such a stem had an *e* (hop(e), fil(e))."""
    return (
        len(word) >= 3
        and word[-1] not in "wxy"
        and _is_consonant(word, len(word) - 1)
        and not _is_consonant(word, len(word) - 2)
        and _is_consonant(word, len(word) - 3)
    )


def _plural(word: str) -> str:
    if word.endswith("sses") or word.endswith("ies"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past_and_gerund(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            return _mended(stem) if _has_vowel(stem) else word
    return word


def _mended(stem: str) -> str:
    """The stem after *ed* or *ing* was cut off, with a lost *e* given back or a doubled letter undone."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if _doubled(stem) and stem[-1] not in "lsz":
        return stem[:-1]
    return stem + "e" if _measure(stem) == 1 and _ends_cvc(stem) else stem


def _replaced(word: str, rules: tuple[tuple[str, str], ...]) -> str:
    for suffix, replacement in rules:
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            return stem + replacement if _measure(stem) > 0 else word
    return word


def _stripped(word: str) -> str:
    """Step 4: the longest of the endings goes when enough of a word is left."""
    for suffix in sorted((ending for ending in _STEP_4 if word.endswith(ending)), key=len, reverse=True)[:1]:
        stem = word[:-3] if suffix in ("sion", "tion") else word[: -len(suffix)]
        return stem if _measure(stem) > 1 else word
    return word


def _final_letters(word: str) -> str:
    if word.endswith("e"):
        stem = word[:-1]
        if _measure(stem) > 1 or (_measure(stem) == 1 and not _ends_cvc(stem)):
            word = stem
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The stem of a lower-case ASCII word; words of one or two letters stay as they are."""
    if len(word) <= 2:
        return word
    word = _past_and_gerund(_plural(word))
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    return _final_letters(_stripped(_replaced(_replaced(word, _STEP_2), _STEP_3)))
