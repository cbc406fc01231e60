"""What stands around a chunk: a runbook's cure is rarely in the very passage that names the symptom."""

from dataclasses import dataclass

from documents.models import Chunk, IndexVersion


@dataclass(frozen=True, slots=True)
class Passage:
    """A slice of a document's text, with its first and last line."""

    text: str
    line_start: int
    line_end: int


def passage_around(chunk: Chunk, *, characters: int) -> Passage:
    """The chunk with what follows it, then with what goes before, whole chunks up to ``characters`` in all."""
    siblings = Chunk.objects.filter(document_id=chunk.document_id, version=chunk.version)
    places = list(siblings.order_by("ordinal").values("ordinal", "start", "end", "line_start", "line_end"))
    here = next(number for number, place in enumerate(places) if place["ordinal"] == chunk.ordinal)
    first = last = here
    while last + 1 < len(places) and places[last + 1]["end"] - places[first]["start"] <= characters:
        last += 1
    while first > 0 and places[last]["end"] - places[first - 1]["start"] <= characters:
        first -= 1
    version = IndexVersion.objects.get(document_id=chunk.document_id, version=chunk.version)
    text = version.text[places[first]["start"] : places[last]["end"]]
    return Passage(text, places[first]["line_start"], places[last]["line_end"])
