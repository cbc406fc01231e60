"""Line charts made on the server: a figure with SVG, and a table of the same values behind it.

Colours come from classes (``report.css``) and ``currentColor``: a strict policy allows no style of an element's own.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from diagnosis.reports.axes import Axis, time_marks, value_axis, value_marks
from diagnosis.reports.markup import element, joined
from diagnosis.reports.plain import in_utc, number, parsed

WIDTH, HEIGHT = 640, 260
LEFT, RIGHT, TOP, BOTTOM = 64, 12, 36, 40
# Steps between two points that are longer than usual by this factor are a gap, too.
GAP_FACTOR = 2.0

Json = Mapping[str, Any]


class Point(NamedTuple):
    at: float
    value: float


class Frame(NamedTuple):
    """The two axes of one chart."""

    times: Axis
    values: Axis


def chart_figure(chart: Json, *, citations: SafeString) -> SafeString:
    where = f" – {chart['node']}" if chart["node"] not in chart["title"] else ""
    caption = element(
        "figcaption",
        element("strong", element("bdi", chart["title"])),
        element("bdi", where, class_="muted"),
        " ",
        citations,
    )
    return element("figure", caption, _picture(chart), _table(chart), class_="chart")


def runs_of(points: Sequence[Sequence[Any]]) -> list[list[Point]]:
    """The stretches without a gap: null ends one, and so does a step much longer than the usual one."""
    times = [parsed(time).timestamp() for time, _value in points]
    steps = [after - before for before, after in pairwise(times) if after > before]
    longest = GAP_FACTOR * median(steps) if steps else 0.0
    runs: list[list[Point]] = [[]]
    for at, (_time, value) in zip(times, points, strict=True):
        if runs[-1] and (value is None or at - runs[-1][-1].at > longest):
            runs.append([])
        if value is not None:
            runs[-1].append(Point(at, float(value)))
    return [run for run in runs if run]


def _picture(chart: Json) -> SafeString:
    runs = runs_of(chart["points"])
    frame = _frame(chart, runs)
    parts = [*_window(chart, frame), *_grid(chart, frame), *(_line(run, frame) for run in runs)]
    if not runs:
        parts.append(_text(_("no values"), LEFT + 12, HEIGHT / 2, "chart-note"))
    if chart["onset"]:
        parts += _onset(chart["onset"], frame)
    picture = {"viewBox": f"0 0 {WIDTH} {HEIGHT}", "role": "img", "aria_label": _in_words(chart, runs)}
    return element("svg", *parts, class_="chart-picture", **picture)


def _frame(chart: Json, runs: list[list[Point]]) -> Frame:
    """The axis of time takes in the window, the onset and every point."""
    given = [chart["window"]["start"], chart["window"]["end"], *([chart["onset"]] if chart["onset"] else [])]
    times = [parsed(time).timestamp() for time in given + [time for time, _value in chart["points"]]]
    first, last = min(times), max(times)
    values = [point.value for run in runs for point in run]
    return Frame(
        Axis(first, last if last > first else first + 60, LEFT, WIDTH - RIGHT),
        value_axis(values, start=HEIGHT - BOTTOM, end=TOP),
    )


def _window(chart: Json, frame: Frame) -> Iterator[SafeString]:
    start, end = (frame.times.place(parsed(chart["window"][name]).timestamp()) for name in ("start", "end"))
    size = {"width": round(max(0.0, end - start), 1), "height": HEIGHT - TOP - BOTTOM}
    yield element("rect", x=start, y=TOP, **size, class_="chart-window", fill="currentColor", fill_opacity="0.05")


def _grid(chart: Json, frame: Frame) -> Iterator[SafeString]:
    thin = {"class_": "chart-grid", "stroke": "currentColor", "stroke_opacity": "0.2"}
    for value, label in value_marks(frame.values):
        y = frame.values.place(value)
        yield element("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, **thin)
        yield _text(label, LEFT - 6, round(y + 4, 1), "chart-mark", anchor="end")
    for time, label in time_marks(frame.times):
        x = frame.times.place(time)
        yield element("line", x1=x, x2=x, y1=HEIGHT - BOTTOM, y2=HEIGHT - BOTTOM + 4, **thin)
        anchor = "end" if x > WIDTH - 40 else "start" if x < LEFT + 30 else "middle"
        yield _text(label, x, HEIGHT - BOTTOM + 22, "chart-mark", anchor=anchor)
    yield _text(chart["unit"], 4, TOP - 16, "chart-unit")
    yield _text("UTC", LEFT - 6, HEIGHT - BOTTOM + 22, "chart-unit", anchor="end")


def _line(run: list[Point], frame: Frame) -> SafeString:
    """A thin line; a lone value between two gaps is a dot."""
    places = [(frame.times.place(point.at), frame.values.place(point.value)) for point in run]
    if len(places) == 1:
        (x, y), *_rest = places
        return element("circle", cx=x, cy=y, r=2, class_="chart-dot", fill="currentColor")
    line = {"fill": "none", "stroke": "currentColor", "stroke_width": "1.5", "stroke_linejoin": "round"}
    return element("polyline", points=" ".join(f"{x},{y}" for x, y in places), class_="chart-line", **line)


def _onset(onset: str, frame: Frame) -> Iterator[SafeString]:
    x = frame.times.place(parsed(onset).timestamp())
    line = {"stroke": "currentColor", "stroke_width": "1", "stroke_dasharray": "4 3", "class_": "chart-onset"}
    yield element("line", x1=x, x2=x, y1=TOP, y2=HEIGHT - BOTTOM, **line)
    label = f"{_('onset')} {parsed(onset).strftime('%H:%M:%S')}"
    anchor = "end" if x > WIDTH / 2 else "start"
    yield _text(label, round(x + (-4 if anchor == "end" else 4), 1), TOP - 16, "chart-onset-label", anchor=anchor)


def _text(text: str, x: float, y: float, class_: str, *, anchor: str = "start") -> SafeString:
    return element("text", text, x=x, y=y, class_=class_, text_anchor=anchor, fill="currentColor", font_size="12")


def _in_words(chart: Json, runs: list[list[Point]]) -> str:
    values = [point.value for run in runs for point in run]
    told = f"{number(min(values))} … {number(max(values))} {chart['unit']}" if values else _("no values")
    onset = f", {_('onset')} {in_utc(chart['onset'])}" if chart["onset"] else ""
    return f"{chart['title']}: {told}{onset}"


def _table(chart: Json) -> SafeString:
    head = element("tr", element("th", _("Time"), scope="col"), element("th", chart["unit"] or _("Value"), scope="col"))
    rows = [
        element("tr", element("td", in_utc(time)), element("td", _cell(value), class_="number"))
        for time, value in chart["points"]
    ]
    table = element("table", element("thead", head), element("tbody", *rows))
    summary = element("summary", _("Values as a table"))
    return element("details", summary, element("div", table, class_="scroll"), class_="chart-values")


def _cell(value: float | None) -> SafeString:
    return joined("–" if value is None else number(value))
