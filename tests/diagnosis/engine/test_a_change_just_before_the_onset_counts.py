import numpy as np
import pytest

from diagnosis.engine.times import iso
from diagnosis.engine.types import Series
from tests.diagnosis.engine.planted import (
    ONSET,
    START,
    STEP,
    STEPS,
    diagnosed,
    incident_of,
    slow_pay,
    texts,
    with_series,
)


def deploy(service: str, at: float, version: str = "2.0") -> dict[str, str]:
    return {"service": service, "kind": "deploy", "at": iso(at), "version": version, "url": ""}


def test_a_reported_deploy_of_the_faulty_node_confirms_it() -> None:
    found = diagnosed(incident_of(slow_pay(), changes=[deploy("pay", ONSET - 240)]))
    assert found.report["verdict"] == "confirmed"
    assert found.report["rootCause"]["mechanism"] == "change"
    assert "deploy to version 2.0" in texts(found.report["candidates"][0]["for"])


@pytest.mark.parametrize("at", [ONSET - 7000, ONSET + 600])
def test_a_change_long_before_or_after_the_onset_does_not(at: float) -> None:
    found = diagnosed(incident_of(slow_pay(), changes=[deploy("pay", at)]))
    assert found.report["rootCause"]["mechanism"] == "resource"
    assert found.report["verdict"] == "likely"
    assert [change["service"] for change in found.report["changes"]] == ["pay"]


def test_a_deploy_of_a_service_that_is_as_usual_is_ruled_out() -> None:
    found = diagnosed(incident_of(slow_pay(), changes=[deploy("cart", ONSET - 300)]))
    assert found.ranking[0] == "pay"
    assert "cart was reported changed" in texts(found.report["ruledOut"])
    assert "Everything measured on it is as usual." in texts(found.report["ruledOut"])


def test_a_change_of_what_was_not_measured_is_said_to_be_unknown() -> None:
    found = diagnosed(incident_of(slow_pay(), changes=[deploy("billing", ONSET - 300)]))
    assert any("billing changed" in sentence for sentence in found.report["unknown"])


def test_a_new_version_in_the_build_information_is_a_change_that_nobody_reported() -> None:
    new = START + STEP * np.arange(STEPS) >= ONSET - 240
    rows = [
        Series("pay", "version", version, START, STEP, np.where(there, 1.0, np.nan))
        for version, there in (("1.9", ~new), ("2.0", new))
    ]
    found = diagnosed(incident_of(with_series(slow_pay(), *rows)))
    assert [(c["version"], c["inferred"]) for c in found.report["changes"]] == [("2.0", True)]
    assert found.report["rootCause"]["mechanism"] == "change"


def test_a_version_that_was_there_all_the_time_is_no_change() -> None:
    row = Series("pay", "version", "1.9", START, STEP, np.ones(STEPS))
    assert diagnosed(incident_of(with_series(slow_pay(), row))).report["changes"] == []


def test_a_change_that_was_reported_and_seen_is_told_once() -> None:
    new = START + STEP * np.arange(STEPS) >= ONSET - 210
    rows = [
        Series("pay", "version", version, START, STEP, np.where(there, 1.0, np.nan))
        for version, there in (("1.9", ~new), ("2.0", new))
    ]
    found = diagnosed(incident_of(with_series(slow_pay(), *rows), changes=[deploy("pay", ONSET - 240)]))
    assert [change["inferred"] for change in found.report["changes"]] == [False]
