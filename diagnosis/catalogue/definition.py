"""What a service of the catalogue may look like, whether it comes by the API or from a file."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypedDict

from diagnosis.catalogue.presets import FAMILIES, PRESETS
from diagnosis.catalogue.selectors import LABEL, narrows
from diagnosis.models import Service
from oncall.api.fields import is_storable

MAX_NAME: Final = 200
MAX_LABELS: Final = 20
MAX_VALUE: Final = 1_000
MAX_TEMPLATE: Final = 4_000
MAX_CALLS: Final = 500
FIELDS: Final = ("name", "kind", "selector", "presets", "templates", "calls")


class Definition(TypedDict, total=False):
    """The columns of a ``Service`` that people set, and the names of the services it calls."""

    name: str
    kind: str
    selector: dict[str, str]
    presets: list[Any]
    templates: dict[str, str]
    calls: list[str]


class BadDefinition(ValueError):
    """``field`` is one of ``FIELDS``; the sentence says what to change."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(f"{field}: {sentence}")
        self.field = field
        self.sentence = sentence


def check_definition(values: Mapping[str, Any]) -> None:
    """Raises ``BadDefinition`` for the first fault of a whole definition (absent fields are empty)."""
    for field in values:
        if field not in FIELDS:
            raise BadDefinition(str(field)[:MAX_NAME], f"A service has {', '.join(FIELDS)}.")
    _check_text("name", values.get("name"), MAX_NAME)
    if values.get("kind", Service.Kind.OWN) not in Service.Kind.values:
        raise BadDefinition("kind", f"One of {', '.join(Service.Kind.values)}.")
    _check_selector("selector", values.get("selector", {}))
    _check_presets(values.get("presets", []))
    _check_templates(values.get("templates", {}))
    _check_calls(values.get("calls", []), values["name"])
    _check_narrowed(values)


def _check_text(field: str, value: Any, longest: int) -> None:
    if not isinstance(value, str) or not value.strip() or len(value) > longest or not is_storable(value):
        raise BadDefinition(field, f"A text of 1 to {longest} characters.")


def _check_selector(field: str, selector: Any) -> None:
    if not isinstance(selector, Mapping) or len(selector) > MAX_LABELS:
        raise BadDefinition(field, f"At most {MAX_LABELS} labels with their values.")
    for label, value in selector.items():
        if not isinstance(label, str) or len(label) > MAX_NAME or not LABEL.fullmatch(label):
            raise BadDefinition(field, "A label name is letters, digits and _, then perhaps one of = != =~ !~.")
        if not isinstance(value, str) or len(value) > MAX_VALUE or not is_storable(value):
            raise BadDefinition(field, f"The value of {label} must be a text of at most {MAX_VALUE} characters.")


def _check_presets(presets: Any) -> None:
    if not isinstance(presets, Sequence) or isinstance(presets, str) or len(presets) > len(PRESETS):
        raise BadDefinition("presets", "A list of presets.")
    for entry in presets:
        name = entry
        if isinstance(entry, Mapping):
            if not {"name"} <= set(entry) <= {"name", "selector"}:
                raise BadDefinition("presets", "A preset is a name, or an object with name and selector.")
            name = entry["name"]
            _check_selector("presets", entry.get("selector", {}))
        if not isinstance(name, str) or name not in PRESETS:
            raise BadDefinition("presets", f"Known presets: {', '.join(PRESETS)}.")


def _check_templates(templates: Any) -> None:
    if not isinstance(templates, Mapping):
        raise BadDefinition("templates", "An object: metric family → PromQL.")
    for family, template in templates.items():
        if family not in FAMILIES:
            raise BadDefinition("templates", f"Known families: {', '.join(FAMILIES)}.")
        _check_text("templates", template, MAX_TEMPLATE)


def _check_calls(calls: Any, own_name: str) -> None:
    if not isinstance(calls, Sequence) or isinstance(calls, str) or len(calls) > MAX_CALLS:
        raise BadDefinition("calls", f"A list of at most {MAX_CALLS} names of services.")
    for name in calls:
        _check_text("calls", name, MAX_NAME)
        if name == own_name:
            raise BadDefinition("calls", "A service does not call itself here.")


def _check_narrowed(values: Mapping[str, Any]) -> None:
    """Whatever asks with a selector has one that picks this service's series."""
    selectors = [
        (entry.get("selector") if isinstance(entry, Mapping) else None) or values.get("selector", {})
        for entry in values.get("presets", [])
    ]
    if any("$selector" in template for template in values.get("templates", {}).values()):
        selectors.append(values.get("selector", {}))
    if not all(narrows(selector) for selector in selectors):
        raise BadDefinition("selector", "A label with a value is needed: without one, every series would be its own.")
