"""A report in the order in which it is read at three in the morning: how sure, what, since when, what to do; then the
alert's own facts and its graph before any ranking; and always what was ruled out, is unknown, is missing, was cut off.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from diagnosis.claims import cited_in
from diagnosis.reports.blocks import (
    Block,
    Bullets,
    Cited,
    Code,
    Group,
    Line,
    Link,
    Moment,
    Paragraph,
    Picture,
    Piece,
    Quote,
    Said,
    Section,
    Strong,
    Terms,
)
from diagnosis.reports.plain import number
from diagnosis.reports.words import duration, kind_words, mechanism_words, verdict_sentence, verdict_word

Json = Mapping[str, Any]


def title_of(report: Json) -> str:
    """What the report is about, in the words that people know it by."""
    subject = report["subject"]
    incident, alert = report["incident"], subject["alert"]
    names = (incident["title"] if incident else "", (alert or {}).get("name", ""), subject["query"])
    return next((name for name in names if isinstance(name, str) and name.strip()), _("Diagnosis"))


def outline(report: Json) -> list[Section]:
    sections = [
        Section("verdict", _("Conclusion"), _conclusion(report)),
        Section("actions", _("What the runbooks say to do"), _actions(report)),
        Section("facts", _("The alert itself"), _facts(report)),
        Section("charts", _("Charts"), [Picture(chart) for chart in report["charts"] if not _of_alert(chart)]),
        Section("timeline", _("Timeline"), _timeline(report)),
        Section("impact", _("Impact"), _bullets(_claims(report["impact"]))),
        Section("changes", _("Changes in the window"), _changes(report)),
        Section("candidates", _("Candidates"), [_candidate(found) for found in report["candidates"]]),
        Section("runbooks", _("Runbooks"), [_runbook(found) for found in report["runbooks"]]),
    ]
    return [section for section in sections if section.blocks] + _limits_of_knowledge(report)


def evidence_section(report: Json, summaries: Mapping[str, str]) -> Section:
    """Each piece of evidence that the report cites, with what it shows: where its citations lead."""
    ids = cited_in(report)
    lines: list[Line] = [[Strong(name), " ", Said(summaries.get(name, ""))] for name in ids]
    return Section("evidence", _("Evidence"), [Bullets(lines, anchors=ids)])


def _conclusion(report: Json) -> list[Block]:
    verdict: Line = [Strong(verdict_word(report["verdict"])), ". ", verdict_sentence(report["verdict"])]
    cause = report["rootCause"]
    terms = _terms_of_cause(cause) if cause else []
    window = report["subject"]["window"]
    terms += [(_("Looked at"), [Moment(window["start"]), " – ", Moment(window["end"])])]
    if report["subject"]["query"].strip():
        terms += [(_("Question"), [Said(report["subject"]["query"])])]
    return [Paragraph(verdict), Paragraph(_claim(report["summary"])), Terms(terms)]


def _terms_of_cause(cause: Json) -> list[tuple[str, Line]]:
    since: Line = [Moment(cause["onset"])] if cause["onset"] else [_("not known")]
    return [
        (_("Where"), [*_node(cause), *_cited(cause)]),
        (_("How"), [mechanism_words(cause["mechanism"])]),
        (_("Since"), since),
    ]


def _actions(report: Json) -> list[Block]:
    lines = [
        [Said(action["text"]), " – ", _("quoted from"), " ", Said(action["title"]), *_cited(action)]
        for action in report["actions"]
    ]
    return _bullets(lines)


def _facts(report: Json) -> list[Block]:
    facts = report["facts"]
    blocks: list[Block] = list(_expression(facts["expression"]))
    blocks += [Picture(chart) for chart in report["charts"] if _of_alert(chart)]
    for name, title in (
        ("alerts", _("Firing")),
        ("restarts", _("Restarts")),
        ("changes", _("Changes of the last hours")),
    ):
        if facts[name]:
            blocks.append(Group([title], _bullets(_claims(facts[name]))))
    if facts["links"]:
        blocks.append(Group([_("Links")], _bullets([[Link(link["label"], link["url"])] for link in facts["links"]])))
    return blocks


def _expression(expression: Json | None) -> Iterator[Block]:
    if expression is None:
        return
    yield Paragraph([Code(expression["expr"])])
    line: list[Piece] = []
    if expression["for"]:
        line += [_("It must hold for"), f" {duration(expression['for'])}. "]
    if expression["onset"]:
        line += [_("It has held since"), " ", Moment(expression["onset"]), "."]
    if line:
        yield Paragraph(line, muted=True)


def _of_alert(chart: Json) -> bool:
    return bool(chart["family"] == "expression")


def _timeline(report: Json) -> list[Block]:
    return _bullets([[Moment(step["at"]), " ", *_claim(step)] for step in report["timeline"]])


def _changes(report: Json) -> list[Block]:
    return _bullets([list(_change(change)) for change in report["changes"]])


def _change(change: Json) -> Iterator[Piece]:
    yield from (Moment(change["at"]), " ", Strong(change["service"]), ": ", Said(change["kind"]))
    if change["version"]:
        yield from (" ", Said(change["version"]))
    if change["inferred"]:
        yield " (" + _("seen in the metrics, reported by nobody") + ")"
    if change["url"]:
        yield from (" ", Link(_("details"), change["url"]))
    yield from _cited(change)


def _candidate(found: Json) -> Group:
    title: list[Piece] = [*_node(found), ": ", mechanism_words(found["mechanism"])]
    told: list[Piece] = [_("Score"), f" {number(found['score'])}"]
    if found["onset"]:
        told += [", ", _("since"), " ", Moment(found["onset"])]
    blocks: list[Block] = [Paragraph(told, muted=True)]
    for name, words in (("for", _("For it")), ("against", _("Against it"))):
        if found[name]:
            blocks += [Paragraph([words, ":"]), *_bullets(_claims(found[name]))]
    return Group(title, blocks)


def _runbook(found: Json) -> Quote:
    first, last = found["lines"]
    path = [heading for heading in found["headingPath"] if heading != found["title"]]
    source: list[Piece] = [Strong(found["title"])]
    if path:
        source += [", ", Said(" › ".join(path))]
    return Quote(found["text"], [*source, ", ", _("lines"), f" {first}–{last}", *_cited(found)])


def _limits_of_knowledge(report: Json) -> list[Section]:
    """These four are always there: that nothing was ruled out is an answer, too."""
    told = (
        ("ruled-out", _("Ruled out"), _claims(report["ruledOut"]), _("Nothing was ruled out.")),
        ("unknown", _("Unknown"), _texts(report["unknown"]), _("No question was left open.")),
        ("data-gaps", _("Missing data"), _texts(report["dataGaps"]), _("No data was missing.")),
        ("limits", _("Limits that were hit"), _texts(report["limits"]), _("No limit was hit.")),
    )
    return [Section(key, title, _bullets(lines) or [Paragraph([none], muted=True)]) for key, title, lines, none in told]


def _node(found: Json) -> list[Piece]:
    kind = kind_words(found["kind"])
    return [Strong(found["node"]), *([f" ({kind})"] if kind else [])]


def _claim(claim: Json) -> list[Piece]:
    return [Said(claim["text"]), *_cited(claim)]


def _cited(claim: Json) -> list[Piece]:
    return [" ", Cited(claim["evidence"])]


def _claims(claims: Sequence[Json]) -> list[Line]:
    return [_claim(claim) for claim in claims]


def _texts(texts: Sequence[str]) -> list[Line]:
    return [[Said(text)] for text in texts]


def _bullets(lines: Sequence[Line]) -> list[Block]:
    return [Bullets(lines)] if lines else []
