"""Elements of HTML and SVG as safe strings: whatever is not made here is escaped."""

from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

from diagnosis.reports.plain import shown

VOID = frozenset({"meta"})


def element(name: str, /, *children: str, **attributes: str | float | None) -> SafeString:
    """``element("p", "text", class_="muted")``. Names of elements and attributes are ours; an attribute of None is
    left out; ``data_key`` becomes ``data-key``.
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_escaped(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    end = "" if name in VOID else f"{joined(*children)}</{name}>"
    return mark_safe(f"<{name}{given}>{end}")  # Every part is escaped above.


def joined(*children: str) -> SafeString:
    return mark_safe("".join(map(_escaped, children)))


def _escaped(text: str) -> str:
    return text if isinstance(text, SafeString) else conditional_escape(shown(text))
