"""Every claim of a report, wherever it stands, cites evidence that its diagnosis has; else the report is not stored."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnosis.claims import BadReport, checked_report, claims_of
from tests.diagnosis.report_body import EVIDENCE_IDS, inconclusive_body, make_report_body
from tests.diagnosis.reports.any_report import reports

PLACES = [where for where, _claim in claims_of(make_report_body())]


def with_evidence_at(where: str, evidence: Any) -> dict[str, Any]:
    body = make_report_body()
    claim = next(claim for place, claim in claims_of(body) if place == where)
    claim["evidence"] = evidence  # type: ignore[index]
    return body


def test_the_sample_cites_in_every_place_where_a_report_can() -> None:
    kinds = {place.rstrip("[]0123456789").split(".", 1)[1].split("[")[0].split(".")[0] for place in PLACES}
    assert kinds >= {
        "summary", "rootCause", "candidates", "facts", "timeline", "impact", "changes", "runbooks", "actions",
        "ruledOut", "charts",
    }  # fmt: skip


def test_legal_reports_pass_unchanged() -> None:
    for body in (make_report_body(), inconclusive_body()):
        before = copy.deepcopy(body)
        assert checked_report(body, EVIDENCE_IDS) is body and body == before


@pytest.mark.parametrize("where", PLACES)
@pytest.mark.parametrize("evidence", [[], ["E99"], ["E1", "E99"], ["X"], "E1", None])
def test_refused_and_named(where: str, evidence: Any) -> None:
    with pytest.raises(BadReport) as refusal:
        checked_report(with_evidence_at(where, evidence), EVIDENCE_IDS)
    assert refusal.value.where.startswith(where) and where in str(refusal.value)


def test_a_diagnosis_without_evidence_has_no_report() -> None:
    with pytest.raises(BadReport, match=r"report\.summary cites E3"):
        checked_report(make_report_body(), [])


def test_labels_that_look_like_claims_are_none() -> None:
    body = make_report_body()
    body["subject"]["alert"]["labels"]["evidence"] = "E99"
    assert checked_report(body, EVIDENCE_IDS)


@given(report=reports, ids=st.sets(st.sampled_from(EVIDENCE_IDS)))
def test_what_passes_cites_live_evidence_only(report: dict[str, Any], ids: set[str]) -> None:
    try:
        passed = checked_report(report, ids)
    except BadReport as refusal:
        assert any(set(claim["evidence"]) - ids for _where, claim in claims_of(report)), refusal
    else:
        assert all(claim["evidence"] and set(claim["evidence"]) <= ids for _where, claim in claims_of(passed))
