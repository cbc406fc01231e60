"""Over random services, series, alerts, changes and runbooks: the report is whole, and the same bytes twice."""

import json
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from diagnosis.claims import checked_report, cited_in, claims_of
from diagnosis.engine import STAGES
from diagnosis.engine.families import FAMILIES
from diagnosis.engine.times import iso
from diagnosis.engine.types import Series, Topology
from diagnosis.replay.incident import Incident
from diagnosis.replay.run import diagnose
from diagnosis.replay.tools import FolderTools
from tests.diagnosis.engine.planted import ONSET, START

names = st.sampled_from(["shop", "cart", "pay", "bank", "a:b", "ünï", "x" * 150, "pay:latency"])
words = st.text(max_size=40)
times = st.integers(-4000, 4000).map(lambda offset: iso(ONSET + offset))


@st.composite
def series(draw: st.DrawFn) -> Series:
    length = draw(st.integers(0, 300))
    random = np.random.default_rng(draw(st.integers(0, 10_000)))
    values = draw(st.sampled_from([0.0, 1e-6, 0.3, 50.0, 1e12])) * (1 + 0.1 * random.standard_normal(length))
    values[draw(st.integers(0, length)) :] *= draw(st.sampled_from([0.0, 1.0, 3.0, 1e6, -1.0]))
    values[random.random(length) < draw(st.sampled_from([0.0, 0.3, 0.95, 1.0]))] = draw(
        st.sampled_from([np.nan, np.inf, -np.inf])
    )
    step = draw(st.sampled_from([15.0, 30.0, 60.0, 300.0]))
    start = START + draw(st.integers(-3000, 9000))
    return Series(draw(names), draw(st.sampled_from(sorted(FAMILIES))), draw(words), start, step, values)


@st.composite
def alerts(draw: st.DrawFn) -> dict[str, Any]:
    told = {"id": draw(words), "name": draw(st.one_of(words, st.just("ShopLatencyHigh"))), "service": draw(names)}
    times_told = {"startsAt": draw(st.one_of(st.none(), times)), "endsAt": None}
    texts = st.dictionaries(st.text(min_size=1, max_size=10), words, max_size=3)
    url = draw(st.sampled_from(["", "http://p/graph?g0.expr=up", "http://[", "javascript:x"]))
    return {**told, **times_told, "labels": draw(texts), "annotations": draw(texts), "generatorUrl": url}


@st.composite
def incidents(draw: st.DrawFn) -> Incident:
    alert = draw(st.one_of(st.none(), alerts()))
    start = ONSET + draw(st.integers(-5000, 0))
    subject = {
        "query": draw(words),
        "window": {"start": iso(start), "end": iso(start + draw(st.integers(60, 6000)))},
        "alert": alert,
        "incident": None,
        "alerts": draw(st.lists(alerts(), max_size=3)),
    }
    kinds = draw(st.dictionaries(names, st.sampled_from(["own", "external", "client"]), max_size=6))
    edges = draw(st.lists(st.tuples(names, names), max_size=10))
    change = st.fixed_dictionaries({"service": names, "kind": words, "at": times, "version": words, "url": st.just("")})
    return Incident(
        subject,
        Topology(kinds, edges),
        draw(st.lists(series(), max_size=12, unique_by=lambda row: (row.node, row.family, row.name))),
        changes=draw(st.lists(change, max_size=4)),
        alerts=draw(st.lists(alerts(), max_size=3)),
        rules=[{"alert": "ShopLatencyHigh", "expr": "up", "for": 60.0}],
        runbooks=draw(st.dictionaries(st.text(min_size=1, max_size=20), words, max_size=3)),
    )


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(incidents())
def test_every_claim_cites_evidence_of_this_diagnosis_and_the_bytes_are_the_same(incident: Incident) -> None:
    first = diagnose(incident.subject, FolderTools(incident))
    second = diagnose(incident.subject, FolderTools(incident))
    assert json.dumps(first.report) == json.dumps(second.report)
    assert checked_report(dict(first.report), first.evidence.keys())
    assert set(cited_in(first.report)) <= first.evidence.keys()
    assert all(claim["evidence"] for _, claim in claims_of(first.report))
    assert len({finding.key for finding in first.evidence.values()}) == len(first.evidence)
    assert all(len(finding.key) <= 300 for finding in first.evidence.values())


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(incidents())
def test_a_stage_that_is_run_again_on_the_same_state_gives_the_same(incident: Incident) -> None:
    tools = FolderTools(incident)
    done = diagnose(incident.subject, tools)
    for stage in ("analyse", "hypothesise", "conclude"):
        again = STAGES[stage](done.state, tools).result
        assert json.loads(json.dumps(again)) == done.state.of(stage)
