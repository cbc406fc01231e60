"""Nothing but the report decides its bytes: not the order of keys, not the moment, not what was made before."""

import json
from typing import Any

from hypothesis import given

from diagnosis.reports.html import report_as_fragment, report_as_page
from diagnosis.reports.markdown import report_as_markdown
from diagnosis.reports.order import in_order
from tests.diagnosis.report_body import make_report_body
from tests.diagnosis.reports.any_report import reports


def turned(value: Any) -> Any:
    """The same JSON with the keys of every object the other way round, as a database may give it back."""
    if isinstance(value, dict):
        return {name: turned(value[name]) for name in reversed(value)}
    return [turned(item) for item in value] if isinstance(value, list) else value


@given(report=reports)
def test_in_every_form(report: dict[str, Any]) -> None:
    other = json.loads(json.dumps(turned(report)))
    assert report_as_markdown(report, {}) == report_as_markdown(other, {})
    assert report_as_page(report, {}) == report_as_page(other, {})
    assert report_as_fragment(report) == report_as_fragment(other)
    assert json.dumps(in_order(report)) == json.dumps(in_order(other))


def test_json_keeps_the_order_of_the_schema_and_every_value() -> None:
    body = make_report_body()
    ordered = in_order(turned(body))
    assert ordered == body and list(ordered) == list(body)
    assert list(ordered["candidates"][0]) == list(body["candidates"][0])
