"""A chart: thin lines broken where nothing was recorded, the window shaded, the onset marked, units and UTC on the
axes, and the same values as a table behind it.
"""

from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnosis.reports.charts import chart_figure, runs_of
from diagnosis.reports.markup import joined
from tests.diagnosis.report_body import BODY
from tests.diagnosis.reports.any_report import numbers, times

CHART = BODY["charts"][0]


def drawn(**changes: Any) -> ElementTree.Element:
    return ElementTree.fromstring(chart_figure({**CHART, **changes}, citations=joined()))


def found(figure: ElementTree.Element, class_: str) -> list[ElementTree.Element]:
    return [element for element in figure.iter() if element.get("class") == class_]


def minute(number: int) -> str:
    return f"2026-03-01T{9 + number // 60:02}:{number % 60:02}:00Z"


def test_the_window_is_shaded_and_the_onset_marked_where_they_are() -> None:
    figure = drawn(window={"start": minute(30), "end": minute(75)})
    (window,) = found(figure, "chart-window")
    (onset,) = found(figure, "chart-onset")
    left, right = float(window.get("x", 0)), float(window.get("x", 0)) + float(window.get("width", 0))
    assert 64 < left < float(onset.get("x1", 0)) < right
    (label,) = found(figure, "chart-onset-label")
    assert label.text == "onset 10:01:00"


def test_units_and_the_zone_stand_on_the_axes() -> None:
    units = [element.text for element in found(drawn(), "chart-unit")]
    assert units == ["s", "UTC"]
    marks = [element.text for element in found(drawn(), "chart-mark")]
    assert {"0", "1", "2"} <= set(marks) and {"09:00", "10:00"} <= set(marks)


def test_a_gap_is_a_gap() -> None:
    lines = found(drawn(), "chart-line")
    assert [len((line.get("points") or "").split()) for line in lines] == [30, 42]


def test_missing_rows_are_a_gap_too_and_a_lone_value_is_a_dot() -> None:
    there = [0, 1, 2, 10, 20, 21, 22]
    figure = drawn(points=[[minute(number), 1.0] for number in there])
    assert [len(run) for run in runs_of([[minute(number), 1.0] for number in there])] == [3, 1, 3]
    assert len(found(figure, "chart-line")) == 2 and len(found(figure, "chart-dot")) == 1


def test_the_table_holds_every_point_for_those_who_do_not_see() -> None:
    figure = drawn()
    rows = [[cell.text for cell in row] for row in figure.iter("tr")]
    assert rows[0] == ["Time", "s"] and len(rows) == 1 + len(CHART["points"])
    assert rows[31] == ["2026-03-01 09:30:00 UTC", "–"]
    (picture,) = figure.iter("svg")
    assert picture.get("role") == "img"
    assert picture.get("aria-label") == ("The alert's expression: 0.184 … 2.586 s, onset 2026-03-01 10:01:00 UTC")


@pytest.mark.parametrize("points", [[], [[minute(0), None]], [[minute(0), None], [minute(1), None]]])
def test_without_a_value_it_says_so(points: list[list[Any]]) -> None:
    assert [element.text for element in found(drawn(points=points), "chart-note")] == ["no values"]


@given(points=st.lists(st.tuples(times, numbers | st.none()).map(list), max_size=30), onset=times | st.none())
def test_any_numbers_and_times_stay_in_the_picture(points: list[list[Any]], onset: str | None) -> None:
    figure = drawn(points=points, onset=onset, window={"start": minute(0), "end": minute(60)})
    for line in found(figure, "chart-line"):
        for place in (line.get("points") or "").split():
            x, y = map(float, place.split(","))
            assert 64 <= x <= 628 and 36 <= y <= 220
    for mark in found(figure, "chart-grid"):
        assert 0 <= float(mark.get("y1", -1)) <= 260
