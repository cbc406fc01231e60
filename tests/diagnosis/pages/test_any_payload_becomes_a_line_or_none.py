"""What a handler put into an event, a report or a piece of evidence breaks neither a page nor the reader of streams."""

import re
from datetime import UTC, datetime
from typing import Any

from django.template.loader import render_to_string
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnosis.models import Evidence, ToolCall
from diagnosis.pages.facts import facts_in
from diagnosis.pages.proofs import proof_of
from diagnosis.pages.timeline import _TELLERS, line_of
from jobs.models import JobEvent

AT = datetime(2026, 3, 1, tzinfo=UTC)
WORDS = (
    "stage tool arguments status bytes truncated evidence summary text node mechanism probes title expression expr for "
    "onset alerts restarts changes links label url"
)
NAMES = st.sampled_from(WORDS.split())
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["E1", "facts", "failed"])
)
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(NAMES | st.text(), inner), max_leaves=12)
TYPES = st.sampled_from(sorted(_TELLERS)) | st.text(min_size=1)


@settings(max_examples=150, deadline=None)
@given(type=TYPES, payload=JSON)
def test_events(type: str, payload: Any) -> None:
    line = line_of(JobEvent(sequence=1, type=type, payload=payload, created_at=AT))
    if line is not None:
        html = render_to_string("diagnosis/line.html", {"line": line})
        assert html.startswith("<li") and html.count("<li") == 1


@settings(max_examples=100, deadline=None)
@given(told=JSON)
def test_facts(told: Any) -> None:
    html = render_to_string("diagnosis/facts.html", {"facts": facts_in(told)})
    assert all(re.match("https?://|#E", address) for address in re.findall('href="([^"]*)"', html))


@settings(max_examples=100, deadline=None)
@given(stats=JSON, sample=JSON, arguments=JSON, kind=st.text(max_size=30))
def test_evidence(stats: Any, sample: Any, arguments: Any, kind: str) -> None:
    call = ToolCall(tool="metric", arguments=arguments)
    row = Evidence(number=1, kind=kind, summary="s", stats=stats, sample=sample, tool_call=call)
    render_to_string("diagnosis/proof.html", {"proof": proof_of(row)})
