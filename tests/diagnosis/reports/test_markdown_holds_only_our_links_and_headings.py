"""Whatever stands in labels, claims and runbooks: Markdown shows it as text, and links, headings, lists are ours."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from hypothesis import given
from markdown_it import MarkdownIt
from markdown_it.token import Token

from diagnosis.claims import claims_of
from diagnosis.reports.markdown import escaped, report_as_markdown
from diagnosis.reports.outline import outline
from diagnosis.reports.plain import one_line
from tests.diagnosis.report_body import EVIDENCE_IDS, make_report_body
from tests.diagnosis.reports.any_report import NASTY, reports, summaries, texts, urls_of

OURS = {
    "heading_open", "heading_close", "inline", "paragraph_open", "paragraph_close", "bullet_list_open",
    "bullet_list_close", "list_item_open", "list_item_close", "fence", "text", "strong_open", "strong_close",
    "link_open", "link_close", "code_inline",
}  # fmt: skip
READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def tokens_of(text: str) -> Iterator[Token]:
    for token in READER.parse(text):
        yield token
        yield from token.children or ()


def words_of(text: str) -> str:
    """The text that a reader sees, on one line."""
    shown = (token.content for token in tokens_of(text) if token.type in ("text", "code_inline", "fence"))
    return "".join(shown)


@given(report=reports, evidence=summaries)
def test_no_token_is_anothers(report: dict[str, Any], evidence: dict[str, str]) -> None:
    text = report_as_markdown(report, evidence)
    tokens = list(tokens_of(text))
    assert {token.type for token in tokens} <= OURS
    links = {unquote(str(token.attrs["href"])) for token in tokens if token.type == "link_open"}
    assert links <= {unquote(url) for url in urls_of(report)}
    levels = [token.tag for token in tokens if token.type == "heading_open"]
    assert levels.count("h1") == 1 and levels.count("h2") == len(outline(report)) + 1


@given(report=reports, evidence=summaries)
def test_every_claim_is_read_as_it_was_written(report: dict[str, Any], evidence: dict[str, str]) -> None:
    seen = words_of(report_as_markdown(report, evidence))
    said = [claim["text"] for where, claim in claims_of(report) if "text" in claim and ".runbooks" not in where]
    for text in [*said, *report["unknown"], *report["limits"]]:
        assert one_line(text) in seen


@given(text=texts)
def test_escaped_text_is_text_at_the_start_and_within_a_line(text: str) -> None:
    for written in (escaped(text), f"- {escaped(text)}", f"a {escaped(text)} b", f"### {escaped(text)}"):
        kinds = {token.type for token in tokens_of(written)}
        assert kinds <= OURS - {"strong_open", "link_open", "code_inline", "fence"}, written
        assert one_line(text) in words_of(written)


def test_bare_addresses_are_broken_up() -> None:
    """Readers that turn addresses into links by themselves find none: GitHub's, and markdown-it's linkify."""
    text = escaped("see http://evil.example www.evil.example")
    assert not re.search(r"http://|www\.", text)


def test_a_quoted_runbook_cannot_leave_its_fence() -> None:
    body = make_report_body()
    for text in NASTY:
        body["runbooks"][0]["text"] = text
        fences = [token for token in tokens_of(report_as_markdown(body, {})) if token.type == "fence"]
        assert len(fences) == 1


def test_what_a_person_reads() -> None:
    text = report_as_markdown(make_report_body(), {"E1": "The alert."})
    assert text.startswith("# CheckoutSlow on checkout\n\n## Conclusion\n\n**Likely**. ")
    assert "- **Where:** **payment** \\[E3\\]\\[E4\\]\n" in text
    assert "- **Since:** 2026-03-01 10:01:00 UTC\n" in text
    assert "[Runbook](<https://wiki.example/checkout-slow>)" in text
    assert "- Roll the last deploy back. – quoted from Connection pool exhausted \\[E3\\]" in text
    assert "- **E1** The alert." in text and all(f"- **{name}**" in text for name in EVIDENCE_IDS)
