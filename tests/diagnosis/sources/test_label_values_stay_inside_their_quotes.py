"""No label value, whatever it holds, ends its string in PromQL, or brings a matcher or a query of its own."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from diagnosis.catalogue.presets import FAMILIES, PRESETS
from diagnosis.catalogue.queries import families_of, queries_for
from diagnosis.catalogue.selectors import matchers, quoted
from diagnosis.datasources.prometheus import Prometheus
from tests.diagnosis.sources.recorded_shop import STEP, WINDOW, Asked

ESCAPES = {"\\": "\\", '"': '"', "n": "\n", "r": "\r", "t": "\t"}
HOSTILE = st.one_of(st.text(), st.text(alphabet='"\\{}(),=~\n\r\t\x00\x7f$ab|*`\u2028'))


def read_string(text: str) -> tuple[str, str]:
    """What a string of PromQL (the escapes of Go) at the start of ``text`` means, and what stands after it."""
    assert text[0] == '"'
    value, at = "", 1
    while text[at] != '"':
        assert text[at] not in "\n\r", "a string ends with its line"
        if text[at] != "\\":
            value, at = value + text[at], at + 1
        elif text[at + 1] == "x":
            value, at = value + chr(int(text[at + 2 : at + 4], 16)), at + 4
        else:
            value, at = value + ESCAPES[text[at + 1]], at + 2
    return value, text[at + 1 :]


@given(HOSTILE)
def test_a_quoted_value_means_itself_and_nothing_more(value: str) -> None:
    assert read_string(quoted(value)) == (value, "")


LABELS = st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_]{0,8}(=~|!=|!~|=)?", fullmatch=True)


@given(st.dictionaries(LABELS, HOSTILE, max_size=4))
def test_a_selector_has_the_matchers_that_it_was_given(selector: dict[str, str]) -> None:
    rest, found = matchers(selector), []
    while rest:
        name, _, after = rest.partition('"')
        value, rest = read_string('"' + after)
        found.append((name.lstrip(","), value))
    given_as = [(name if name[-1] in "=~" else f"{name}=", value) for name, value in selector.items()]
    assert found == given_as


@pytest.mark.parametrize("name", ["", "a b", 'a"', "a=1,b", "0a", "a{", "ä", "a=~=", "a\n", "__name__}"])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no label name"):
        matchers({name: "x"})


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(HOSTILE.filter(lambda value: value != ""))
def test_a_real_prometheus_reads_the_value_back(source: Prometheus, value: str) -> None:
    """``absent`` gives the labels that its selector wants: what Prometheus understood."""
    (found,) = source.expression(f"absent(nothing{{job={quoted(value)}}})", WINDOW, 3_600)
    understood = found.name
    if len(understood) < 150:
        assert understood == f"{{job={json.dumps(value, ensure_ascii=False)}}}"


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(HOSTILE)
def test_a_hostile_value_finds_nobody_elses_series(source: Prometheus, value: str) -> None:
    service = Asked("other", {"job": value + "-nobody"}, ["red", "process"])
    for family in families_of(service):
        assert source.range(service, family, WINDOW, 600) == []


@pytest.mark.parametrize("preset", PRESETS)
def test_every_template_of_a_preset_is_promql(source: Prometheus, preset: str) -> None:
    service = Asked("x", {"job": "checkout", "pod=~": "a.*"}, [preset])
    assert set(families_of(service)) == set(PRESETS[preset]) <= set(FAMILIES)
    for family in families_of(service):
        assert "$" not in queries_for(service, family, seconds=60)[0]
        source.range(service, family, WINDOW, STEP)


def test_a_value_that_reads_like_a_placeholder_stays(source: Prometheus) -> None:
    service = Asked("x", {"job": "$range", "a": "$selector"}, templates={"cpu": "rate(x{$selector}[$range])"})
    assert queries_for(service, "cpu", seconds=60) == ['rate(x{job="$range",a="$selector"}[60s])']


def test_own_templates_stand_before_presets_and_presets_have_their_own_selector() -> None:
    service = Asked(
        "x",
        {"job": "x"},
        ["process", {"name": "cadvisor", "selector": {"pod=~": "x-.*"}}],
        {"memory": "own{$selector}"},
    )
    assert queries_for(service, "memory", seconds=60) == ['own{job="x"}']
    mine, containers = queries_for(service, "cpu", seconds=60)
    assert '{job="x"}' in mine and '{pod=~"x-.*"}' in containers
    assert families_of(service) == ["cpu", "memory", "saturation", "restarts", "version", "network"]
