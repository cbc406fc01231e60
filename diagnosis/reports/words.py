"""The words for what a report says in codes. No percentage: a word is earned or it is not used."""

from django.utils.translation import gettext as _

from diagnosis.states import Verdict


def verdict_word(verdict: str) -> str:
    return {
        Verdict.CONFIRMED: _("Confirmed"),
        Verdict.LIKELY: _("Likely"),
        Verdict.INCONCLUSIVE: _("Inconclusive"),
        Verdict.NO_ANOMALY: _("No anomaly"),
    }[verdict]


def verdict_sentence(verdict: str) -> str:
    return {
        Verdict.CONFIRMED: _("Independent signals agree on one place, in order, and what it calls is as usual."),
        Verdict.LIKELY: _("The evidence points at one place; nothing independent of it has confirmed that yet."),
        Verdict.INCONCLUSIVE: _("Unusual things were seen; the evidence does not name a cause."),
        Verdict.NO_ANOMALY: _("Nothing that was asked behaved unusually."),
    }[verdict]


def mechanism_words(mechanism: str) -> str:
    return {
        "resource": _("a resource ran out"),
        "error": _("it fails by itself"),
        "dependency": _("something it depends on"),
        "change": _("a change to it"),
        "traffic": _("a change in traffic"),
        "latency": _("it is slow by itself"),
    }[mechanism]


def kind_words(kind: str) -> str:
    """What is worth saying of a node's kind; nothing of a service of one's own."""
    return {"external": _("outside our systems"), "client": _("a client")}.get(kind, "")


def duration(seconds: float) -> str:
    """``90 s``, ``5 min``, ``2 h``."""
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= size and seconds % size == 0:
            return f"{seconds / size:g} {unit}"
    return f"{seconds:g} s"
