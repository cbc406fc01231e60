"""Whatever stands in a report: its HTML is well formed, made of our elements, and leads only where the report says."""

import html
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

from hypothesis import given

from diagnosis.claims import cited_in, claims_of
from diagnosis.reports.html import report_as_fragment, report_as_page
from diagnosis.reports.urls import escaped_url
from tests.diagnosis.report_body import EVIDENCE_IDS, make_report_body
from tests.diagnosis.reports.any_report import reports, summaries, urls_of

ELEMENTS = {
    "div", "section", "h2", "h3", "p", "ul", "li", "dl", "dt", "dd", "a", "span", "strong", "bdi", "code", "time",
    "figure", "figcaption", "blockquote", "details", "summary", "table", "thead", "tbody", "tr", "th", "td",
    "svg", "rect", "line", "polyline", "circle", "text",
}  # fmt: skip
PAGE_ELEMENTS = ELEMENTS | {"html", "head", "meta", "title", "style", "body", "main", "h1"}
ATTRIBUTES = {
    "class", "id", "href", "rel", "datetime", "dir", "scope", "role", "aria-label", "viewBox", "x", "y", "x1", "x2",
    "y1", "y2", "cx", "cy", "r", "width", "height", "points", "fill", "fill-opacity", "stroke", "stroke-width",
    "stroke-opacity", "stroke-linejoin", "stroke-dasharray", "text-anchor", "font-size",
}  # fmt: skip


class Reader(HTMLParser):
    """What a browser's parser finds: elements, and whether each is closed in its turn."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def may_lead_to(report: dict[str, Any]) -> set[str]:
    return {escaped_url(url) for url in urls_of(report)} | {f"#{name}" for name in cited_in(report)}


@given(report=reports)
def test_a_part_of_our_pages(report: dict[str, Any]) -> None:
    tree = ElementTree.fromstring(report_as_fragment(report))
    for element in tree.iter():
        assert element.tag in ELEMENTS
        assert set(element.attrib) <= ATTRIBUTES
        assert element.get("href", "#E1") in {*may_lead_to(report), "#E1"}


@given(report=reports, evidence=summaries)
def test_a_page_of_its_own(report: dict[str, Any], evidence: dict[str, str]) -> None:
    reader = Reader(report_as_page(report, evidence))
    assert reader.open == []
    assert {tag for tag, _attributes in reader.found} <= PAGE_ELEMENTS
    assert {attributes.get("href") for _tag, attributes in reader.found} - {None} <= may_lead_to(report)
    names = {name for _tag, attributes in reader.found for name in attributes}
    assert not {name for name in names if name.startswith("on") or name in ("style", "src", "srcdoc", "action")}
    anchors = [attributes["id"] for _tag, attributes in reader.found if "id" in attributes]
    assert anchors == cited_in(report)


def test_each_claim_leads_to_its_evidence() -> None:
    body = make_report_body()
    page = report_as_page(body, {name: f"what {name} shows" for name in EVIDENCE_IDS})
    for name in EVIDENCE_IDS:
        assert f'<li id="{name}">' in page and f"what {name} shows" in page
    for _where, claim in claims_of(body):
        links = "".join(f'<a href="#{name}" class="cited">{name}</a>' for name in claim["evidence"])
        assert links in page
        if "text" in claim and "lines" not in claim:
            assert html.escape(claim["text"]) in page


def test_text_that_turns_its_direction_is_kept_apart_and_made_visible() -> None:
    body = make_report_body(changes={"unknown": ["\u202eevil\u202c", "مرحبا"]})
    fragment = report_as_fragment(body)
    assert "<bdi>⟨U+202E⟩evil⟨U+202C⟩</bdi>" in fragment and "<bdi>مرحبا</bdi>" in fragment


def test_an_address_of_another_kind_is_text() -> None:
    """Such a report is refused when it is made; one that was stored all the same is shown safely."""
    body = make_report_body()
    body["facts"]["links"][0]["url"] = "javascript:alert(1)"
    fragment = report_as_fragment(body)
    assert "<bdi>Runbook javascript:alert(1)</bdi>" in fragment and 'href="javascript' not in fragment
