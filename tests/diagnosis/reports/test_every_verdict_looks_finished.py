"""A verdict is a word with a sentence, never a percentage; an inconclusive report has every part that others have."""

import pytest

from diagnosis.reports.html import report_as_fragment
from diagnosis.reports.markdown import report_as_markdown
from diagnosis.reports.outline import outline
from diagnosis.states import Verdict
from tests.diagnosis.report_body import inconclusive_body, make_report_body

WORDS = {
    Verdict.CONFIRMED: "Confirmed",
    Verdict.LIKELY: "Likely",
    Verdict.INCONCLUSIVE: "Inconclusive",
    Verdict.NO_ANOMALY: "No anomaly",
}
ALWAYS = ["verdict", "ruled-out", "unknown", "data-gaps", "limits"]


@pytest.mark.parametrize("verdict", Verdict.ALL)
def test_in_words(verdict: str) -> None:
    body = {**(make_report_body() if verdict in ("confirmed", "likely") else inconclusive_body()), "verdict": verdict}
    text = report_as_markdown(body, {})
    assert f"**{WORDS[verdict]}**. " in text
    fragment = report_as_fragment(body)
    assert f'class="report verdict-{verdict.replace("_", "-")}"' in fragment and WORDS[verdict] in fragment


def test_what_is_not_known_is_always_said() -> None:
    empty = {"ruledOut": [], "unknown": [], "dataGaps": [], "limits": []}
    for body in (make_report_body(), inconclusive_body(), {**inconclusive_body(), **empty}):
        keys = [section.key for section in outline(body)]
        assert [key for key in keys if key in ALWAYS] == ALWAYS
    text = report_as_markdown({**inconclusive_body(), **empty}, {})
    for sentence in (
        "Nothing was ruled out.",
        "No question was left open.",
        "No data was missing.",
        "No limit was hit.",
    ):
        assert sentence in text


def test_the_alerts_own_facts_and_graph_come_before_any_ranking() -> None:
    fragment = report_as_fragment(make_report_body())
    order = [fragment.index(text) for text in ("Likely", "The alert&#x27;s expression", "Candidates")]
    assert order == sorted(order)


def test_somebody_elses_service_is_said_to_be_outside() -> None:
    body = make_report_body()
    body["rootCause"]["kind"] = "external"
    assert "**payment** (outside our systems)" in report_as_markdown(body, {})
