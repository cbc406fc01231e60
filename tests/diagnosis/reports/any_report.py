"""Reports of every shape that the schema allows, with the text that strangers write: markup, Markdown, turned text."""

from datetime import datetime
from typing import Any

from hypothesis import strategies as st

from diagnosis.reports.schema import REPORT, Schema
from tests.diagnosis.report_body import EVIDENCE_IDS

NASTY = [
    "<script>alert(1)</script>",
    "</script></style></svg><img src=x onerror=alert(1)>",
    '"><a href="http://evil.example">x</a>',
    "' onmouseover='alert(1)",
    "]]><!--",
    "&lt;&#x27;&amp;",
    "[x](http://evil.example)",
    "![x](http://evil.example/p.png)",
    "<http://evil.example>",
    "http://evil.example/a www.evil.example me@evil.example",
    "[x][E1]",
    "[E1]: http://evil.example",
    "# heading",
    "text\n# heading\n\n- list\n\n> quote",
    "under\n===",
    "1. one\n2) two",
    "- [ ] task",
    "```\nfence\n```",
    "~~~\n``` ```` `",
    "a | b\n--|--\nc | d",
    "*e* _m_ **s** ~~d~~ `c` $x$ \\",
    "    indented",
    "\u202eturned\u202c \u2066x\u2069 \u200f",
    "支付服务 连接池",
    "\x01\x0b\x1f\x7f\x85\u2028\u2029\ufffe\uffff",
    "javascript:alert(1)",
    "",
    " ",
]
URLS = [
    "https://wiki.example/a?b=c&d=(e)",
    "http://[::1]:9090/graph?g0.expr=up%7Bx%3D%22y%22%7D",
    "https://x.example/'\"<>`",
]
texts = st.one_of(
    st.sampled_from(NASTY),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=30),
    st.lists(st.sampled_from(NASTY), min_size=2, max_size=3).map(" ".join),
)
numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**12), 10**12)
times = st.datetimes(min_value=datetime(1970, 1, 2)).map(lambda at: at.strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0"))
FORMATS = {"date-time": times, "web-url": st.sampled_from(URLS)}


def values(schema: Schema) -> st.SearchStrategy[Any]:
    """Whatever has this shape."""
    if "anyOf" in schema:
        return st.none() | values(schema["anyOf"][0])
    if "const" in schema:
        return st.just(schema["const"])
    match schema["type"]:
        case "object":
            return st.fixed_dictionaries({name: values(shape) for name, shape in schema.get("properties", {}).items()})
        case "array":
            return _arrays(schema)
        case "string":
            return _strings(schema)
        case "boolean":
            return st.booleans()
        case "integer":
            return st.integers(1, 5_000)
    return numbers


def _arrays(schema: Schema) -> st.SearchStrategy[Any]:
    if "prefixItems" in schema:
        return st.tuples(*map(values, schema["prefixItems"])).map(list)
    least = schema.get("minItems", 0)
    return st.lists(values(schema["items"]), min_size=least, max_size=max(least, 2))


def _strings(schema: Schema) -> st.SearchStrategy[str]:
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "pattern" in schema:
        return st.sampled_from(EVIDENCE_IDS)
    return FORMATS[schema["format"]] if "format" in schema else texts


def _agreeing(report: dict[str, Any]) -> dict[str, Any]:
    """With the verdict that its root cause needs."""
    named = report["rootCause"] is not None
    verdict = report["verdict"] if named == (report["verdict"] in ("confirmed", "likely")) else None
    return {**report, "verdict": verdict or ("likely" if named else "inconclusive")}


reports = values(REPORT).map(_agreeing)
summaries = st.fixed_dictionaries(dict.fromkeys(EVIDENCE_IDS, texts))


def urls_of(report: dict[str, Any]) -> set[str]:
    """The addresses that may become links."""
    return {link["url"] for link in report["facts"]["links"]} | {change["url"] for change in report["changes"]}
