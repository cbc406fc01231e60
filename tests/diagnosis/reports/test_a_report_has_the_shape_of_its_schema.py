"""A report of another shape, over a limit, or with what no database stores is refused with the path to it."""

from typing import Any

import pytest

from diagnosis.claims import BadReport, checked_report
from tests.diagnosis.report_body import EVIDENCE_IDS, claim, make_report_body

Body = dict[str, Any]


def nested(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = {"a": value}
    return value


BAD: dict[str, tuple[str, Any, str]] = {
    "another version": ("schemaVersion", 2, "report.schemaVersion must be 1"),
    "true is no version": ("schemaVersion", True, "report.schemaVersion must be 1"),
    "a key too many": ("confidence", 0.9, "report must not have confidence"),
    "a verdict of its own": ("verdict", "certain", "report.verdict must be one of"),
    "a mechanism of its own": ("candidates.0.mechanism", "magic", "candidates[0].mechanism must be one of"),
    "a cause without a verdict": ("verdict", "inconclusive", "report.rootCause does not go with"),
    "a verdict without a cause": ("rootCause", None, "report.rootCause does not go with"),
    "text as score": ("candidates.0.score", "4", "candidates[0].score must be of type number"),
    "an infinite score": ("candidates.0.score", float("inf"), "candidates[0].score is no JSON"),
    "a score beyond floats": ("candidates.0.score", 10**400, "candidates[0].score is no JSON"),
    "NaN in a chart": ("charts.0.points.0.1", float("nan"), "points[0][1] is no JSON"),
    "a point without a value": ("charts.0.points.3", ["2026-03-01T09:00:00Z"], "points[3] must not have 1 items"),
    "301 points": ("charts.0.points", [["2026-03-01T09:00:00Z", 1.0]] * 301, "points must not have 301 items"),
    "a local time": ("timeline.0.at", "2026-03-01T09:58:00", "timeline[0].at must be a time in UTC"),
    "another zone": ("timeline.0.at", "2026-03-01T09:58:00+01:00", "timeline[0].at must be a time in UTC"),
    "no such day": ("timeline.0.at", "2026-02-31T09:58:00Z", "timeline[0].at must be a time in UTC"),
    "a script as link": ("facts.links.0.url", "javascript:alert(1)", "links[0].url must be an http or https address"),
    "data as link": ("changes.0.url", "data:text/html,x", "changes[0].url must be an http or https address"),
    "a link without a host": ("changes.0.url", "https:///x", "changes[0].url must be an http or https address"),
    "a link over two lines": ("changes.0.url", "http://a.example/\nb", "must be an http or https address"),
    "an empty link": ("facts.links.0.url", "", "links[0].url must not be empty"),
    "NUL": ("unknown.0", "a\x00b", "report.unknown[0] must not contain NUL"),
    "half a character": ("subject.alert.labels.a", "\ud83d", "report.subject.alert.labels.a must not contain NUL"),
    "too deep": ("subject.alert.labels.a", nested(80), "nested more than 64 levels"),
    "a set": ("subject.alert.labels", {1, 2}, "report.subject.alert.labels is no JSON"),
    "257 KB": ("impact.0.text", "x" * 257 * 1024, "report must not be larger than 256 KB"),
    "257 KB of Chinese": ("impact.0.text", "慢" * 86 * 1024, "report must not be larger than 256 KB"),
}


def spoilt(path: str, value: Any) -> Body:
    """The sample with another value at one place."""
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    body = place = make_report_body()
    for part in way:
        place = place[part]  # type: ignore[index]
    place[last] = value  # type: ignore[index]
    return body


@pytest.mark.parametrize("name", BAD)
def test_refused(name: str) -> None:
    path, value, sentence = BAD[name]
    with pytest.raises(BadReport) as refusal:
        checked_report(spoilt(path, value), EVIDENCE_IDS)
    assert sentence in str(refusal.value)


@pytest.mark.parametrize("name", make_report_body())
def test_each_part_must_be_there(name: str) -> None:
    body = make_report_body()
    del body[name]
    with pytest.raises(BadReport, match=f"report must have {name}"):
        checked_report(body, EVIDENCE_IDS)


@pytest.mark.parametrize("url", ["", "http://a.example", "https://a.example:8443/x?y=z#w", "http://[::1]:9090/"])
def test_addresses_of_the_web_pass(url: str) -> None:
    body = make_report_body()
    body["changes"][0]["url"] = url
    assert checked_report(body, EVIDENCE_IDS)


def test_300_points_and_250_kb_pass() -> None:
    body = make_report_body()
    body["charts"][0]["points"] = [["2026-03-01T09:00:00Z", 1.0]] * 300
    body["impact"].append(claim("x" * 220 * 1024, "E1"))
    assert checked_report(body, EVIDENCE_IDS)


def test_anything_but_an_object_is_refused() -> None:
    for body in (None, [], "report", 1):
        with pytest.raises(BadReport, match="report must be of type object"):
            checked_report(body, EVIDENCE_IDS)  # type: ignore[arg-type]
