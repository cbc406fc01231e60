"""The shape of a report, schema version 1, as JSON Schema: the check reads it, and so does the OpenAPI document."""

from typing import Any, Final

from diagnosis.states import Verdict

VERSION: Final = 1
MOST_POINTS: Final = 300
MECHANISMS: Final = ("resource", "error", "dependency", "change", "traffic", "latency")
NODE_KINDS: Final = ("own", "external", "client")

Schema = dict[str, Any]
_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "number"}
_TIME: Schema = {"type": "string", "format": "date-time"}
_EVIDENCE: Schema = {"type": "array", "items": {"type": "string", "pattern": r"^E[1-9][0-9]{0,5}$"}, "minItems": 1}


def _object(**properties: Schema) -> Schema:
    """An object with exactly these keys."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _list(items: Schema, **bounds: int) -> Schema:
    return {"type": "array", "items": items, **bounds}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _one_of(values: tuple[str, ...]) -> Schema:
    return {"type": "string", "enum": list(values)}


# An address that becomes a link; "" where there is none.
_URL: Schema = {"type": "string", "format": "web-url"}
_CLAIM = _object(text=_TEXT, evidence=_EVIDENCE)
_CLAIMS = _list(_CLAIM)
_INCIDENT = _object(id=_TEXT, title=_TEXT)
_WINDOW = _object(start=_TIME, end=_TIME)
# What the diagnosis is about passes through as it was: labels and annotations are whatever somebody wrote.
_ALERT: Schema = {"type": "object"}
_SUBJECT: Schema = {
    "type": "object",
    "properties": {
        "query": _TEXT,
        "window": _WINDOW,
        "alert": _or_null(_ALERT),
        "incident": _or_null(_INCIDENT),
        "alerts": _list(_ALERT),
    },
    "required": ["query", "window", "alert", "incident", "alerts"],
    "additionalProperties": False,
}
_BLAMED = {"node": _TEXT, "kind": _one_of(NODE_KINDS), "mechanism": _one_of(MECHANISMS)}
_CANDIDATE = _object(**_BLAMED, score=_NUMBER, onset=_or_null(_TIME), **{"for": _CLAIMS, "against": _CLAIMS})
_EXPRESSION = _object(expr=_TEXT, **{"for": _NUMBER}, onset=_or_null(_TIME))
_LINK = _object(label=_TEXT, url={**_URL, "minLength": 1})
_FACTS = _object(
    expression=_or_null(_EXPRESSION), alerts=_CLAIMS, restarts=_CLAIMS, changes=_CLAIMS, links=_list(_LINK)
)
_CHANGE = _object(
    service=_TEXT, kind=_TEXT, at=_TIME, version=_TEXT, url=_URL, inferred={"type": "boolean"}, evidence=_EVIDENCE
)
_RUNBOOK = _object(
    documentId=_TEXT,
    title=_TEXT,
    headingPath=_list(_TEXT),
    text=_TEXT,
    lines=_list({"type": "integer"}, minItems=2, maxItems=2),
    evidence=_EVIDENCE,
)
_POINT: Schema = {
    "type": "array",
    "prefixItems": [_TIME, _or_null(_NUMBER)],
    "items": False,
    "minItems": 2,
    "maxItems": 2,
}
_CHART = _object(
    key=_TEXT,
    title=_TEXT,
    unit=_TEXT,
    node=_TEXT,
    family=_TEXT,
    points=_list(_POINT, maxItems=MOST_POINTS),
    onset=_or_null(_TIME),
    window=_WINDOW,
    evidence=_EVIDENCE,
)

REPORT: Final[Schema] = _object(
    schemaVersion={"const": VERSION},
    incident=_or_null(_INCIDENT),
    subject=_SUBJECT,
    verdict=_one_of(Verdict.ALL),
    summary=_CLAIM,
    rootCause=_or_null(_object(**_BLAMED, onset=_or_null(_TIME), evidence=_EVIDENCE)),
    candidates=_list(_CANDIDATE),
    facts=_FACTS,
    timeline=_list(_object(at=_TIME, text=_TEXT, evidence=_EVIDENCE)),
    impact=_CLAIMS,
    changes=_list(_CHANGE),
    runbooks=_list(_RUNBOOK),
    actions=_list(_object(text=_TEXT, documentId=_TEXT, title=_TEXT, evidence=_EVIDENCE)),
    ruledOut=_CLAIMS,
    unknown=_list(_TEXT),
    dataGaps=_list(_TEXT),
    limits=_list(_TEXT),
    charts=_list(_CHART),
)
