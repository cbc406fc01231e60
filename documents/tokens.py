"""Our own tokens for the lexical index, so that SQLite and PostgreSQL index and find exactly the same ones.

A token is a lower-case word (``_`` belongs to it), a part of a CamelCase or snake_case word, or a pair of neighbouring
CJK characters. English words are stemmed. Tokens hold letters, digits and ``_`` only: no query syntax can be in them.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator
from itertools import pairwise

from documents.porter import stem

# The letters and ideographs of Han, kana, hangul, bopomofo: written without spaces, so neighbouring pairs stand for
# words. What these blocks hold besides them parts words: dots, marks, radicals and strokes that stand for no character.
CJK = (
    "\u3005-\u3007\u3021-\u3029\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufa6d\ufa70-\ufad9"
)
# Two planes for nothing but ideographs: whole, since each Unicode version fills more of them.
_PLANES = "\U00020000-\U0002fffd\U00030000-\U0003fffd"
_RUN = re.compile(rf"[{CJK}{_PLANES}]+|[^\W{CJK}{_PLANES}]+")
_CJK_RUN = re.compile(rf"[{CJK}{_PLANES}]+")
_CAMEL_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_STEMMABLE = re.compile(r"[a-z]{3,}\Z")

# A word longer than this is a hash or a dump: its start is enough to find it by.
MAX_TOKEN_CHARACTERS = 64

_ENGLISH = (
    "a an and are as at be been but by can could did do does for from had has have how i if in into is it its may "
    "more most my no not of on or our should so some than that the their them then there these they this those to "
    "was we were what when where which while who why will with would you your"
)
_CHINESE = "怎么 么办 什么 如何 为什 一个 这个 那个 我们 可以 没有 是否 以及 或者 并且 还是 的是"


def tokenize(text: str) -> list[str]:
    """The tokens of ``text`` in order; a compound word is followed by its parts."""
    return list(_tokens(text))


def _tokens(text: str) -> Iterator[str]:
    for run in _RUN.findall(unicodedata.normalize("NFKC", text)):
        if _CJK_RUN.match(run):
            yield from _pairs(run)
        else:
            yield from _word(run)


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for first, second in pairwise(run):
        yield first + second


def _word(word: str) -> Iterator[str]:
    whole = word.strip("_")[:MAX_TOKEN_CHARACTERS]
    if not whole:
        return
    yield _normal(whole)
    parts = _CAMEL_PART.findall(whole) if whole.isascii() else [part for part in whole.split("_") if part]
    if len(parts) > 1:
        yield from (_normal(part) for part in parts)


def _normal(word: str) -> str:
    lowered = word.lower().replace("\u0307", "")  # The dot that a Turkish capital I leaves behind is no letter.
    return stem(lowered) if _STEMMABLE.match(lowered) else lowered


def query_terms(query: str) -> list[str]:
    """The distinct tokens of a query, in order, without stop words; with them when nothing else is left."""
    terms = list(dict.fromkeys(tokenize(query)))
    return [term for term in terms if term not in _STOP_TOKENS] or terms


_STOP_TOKENS = frozenset(_normal(word) for word in f"{_ENGLISH} {_CHINESE}".split())


def matches(text: str, terms: Collection[str]) -> list[tuple[int, int]]:
    """Where ``terms`` occur in ``text``: ranges in order, those of overlapping pairs joined."""
    found: list[tuple[int, int]] = []
    for run in _RUN.finditer(text):
        for start, end in _hits(run[0], run.start(), frozenset(terms)):
            if found and start <= found[-1][1]:
                found[-1] = (found[-1][0], end)
            else:
                found.append((start, end))
    return found


def _hits(run: str, at: int, terms: frozenset[str]) -> Iterator[tuple[int, int]]:
    if not _CJK_RUN.match(run):
        if not terms.isdisjoint(_word(run)):
            yield at, at + len(run)
        return
    for index, pair in enumerate(_pairs(run)):
        if pair in terms:
            yield at + index, at + index + len(pair)


def cjk_share(text: str) -> float:
    """The share of CJK characters among the letters and digits of ``text``, 0 to 1."""
    letters = sum(1 for character in text if character.isalnum())
    return sum(len(run) for run in _CJK_RUN.findall(text)) / letters if letters else 0.0


def code_share(text: str) -> float:
    """The share of signs that code is made of (brackets, operators, ``_``) in ``text``, 0 to 1."""
    return sum(text.count(sign) for sign in "{}()[]<>=_/*+|~") / len(text) if text else 0.0
