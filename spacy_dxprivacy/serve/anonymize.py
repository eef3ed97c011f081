"""POST /anonymize, in the shape of presidio's anonymizer: text, analyzer_results, anonymizers.

What presidio's analyzer found is replaced, and all else stays in clear, as there. `dx`, which also
stands for DEFAULT where nothing is said, draws the words of an entity by the mechanism; `replace`,
`redact` and `mask` do as presidio does. `hash` and `encrypt` are refused: a digest of a name
confirms a guess, and a cipher is no anonymity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .bodies import check_fields, checked_text
from .limits import Limits, Refused

OPERATORS = ("dx", "mask", "redact", "replace")
NOT_OURS = f"an anonymizer is none of this service, which has {', '.join(OPERATORS)}."
_FIELDS = {
    "dx": set[str](),
    "redact": set[str](),
    "replace": {"new_value"},
    "mask": {"masking_char", "chars_to_mask", "from_end"},
}
_RESULT = {"start", "end", "entity_type", "score", "analysis_explanation", "recognition_metadata"}


@dataclass(frozen=True)
class Found:
    """An entity: where it is in the text, and of which type."""

    start: int
    end: int
    entity_type: str


@dataclass(frozen=True)
class Job:
    """text; what was found in it, in order and apart; and what is done about each."""

    text: str
    found: list[Found]
    how: list[dict[str, Any]]

    @property
    def to_draw(self) -> list[str]:
        """The texts of the entities that are drawn."""
        pairs = zip(self.found, self.how, strict=True)
        return [self.text[f.start : f.end] for f, how in pairs if how["type"] == "dx"]

    def answer(self, drawn: list[str]) -> dict[str, Any]:
        """What presidio answers. drawn: for each of to_draw what stands for it."""
        parts: list[str] = []
        items, stands, end, size = [], iter(drawn), 0, 0
        for one, how in zip(self.found, self.how, strict=True):
            clear = self.text[end : one.start]
            new = next(stands) if how["type"] == "dx" else _changed(self.text, one, how)
            start = size + len(clear)
            parts += [clear, new]
            end, size = one.end, start + len(new)
            items.append({
                "start": start, "end": size, "entity_type": one.entity_type, "text": new,
                "operator": how["type"],
            })  # fmt: skip
        # Presidio has the last one first.
        return {"text": "".join([*parts, self.text[end:]]), "items": items[::-1]}


def job_of(body: dict[str, Any], limits: Limits) -> Job:
    """What a body asks for. Raises Refused (422, 413) without anything of it."""
    check_fields(body, {"text", "analyzer_results", "anonymizers"})
    text = checked_text(body.get("text"), limits)
    results, operators = body.get("analyzer_results", []), body.get("anonymizers") or {}
    if not isinstance(results, list) or not isinstance(operators, dict):
        raise Refused(422, "'analyzer_results' is a list, and 'anonymizers' an object.")
    if len(results) > limits.texts:
        raise Refused(413, f"at most {limits.texts:,} entities go into a request.")
    chosen = {name: _operator(one) for name, one in operators.items()}
    found = _apart([_result(one, len(text)) for one in results])
    default = chosen.get("DEFAULT", {"type": "dx"})
    return Job(text, found, [chosen.get(one.entity_type, default) for one in found])


def _result(given: Any, length: int) -> Found:
    if not isinstance(given, dict) or not set(given) <= _RESULT:
        raise Refused(422, "an item of 'analyzer_results' is not one of presidio's.")
    start, end, kind = given.get("start"), given.get("end"), given.get("entity_type")
    if type(start) is not int or type(end) is not int or not isinstance(kind, str):
        raise Refused(422, "an item of 'analyzer_results' lacks start, end or entity_type.")
    if not 0 <= start < end <= length:
        raise Refused(422, "an item of 'analyzer_results' lies outside of the text.")
    return Found(start, end, kind)


def _apart(found: list[Found]) -> list[Found]:
    """In order; what overlaps is one entity, of the type of its longest part."""
    merged: list[Found] = []
    longest = 0
    for one in sorted(found, key=lambda f: (f.start, -f.end)):
        if not merged or one.start >= merged[-1].end:
            merged.append(one)
            longest = one.end - one.start
            continue
        last = merged[-1]
        kind = one.entity_type if one.end - one.start > longest else last.entity_type
        longest = max(longest, one.end - one.start)
        merged[-1] = Found(last.start, max(last.end, one.end), kind)
    return merged


def _operator(given: Any) -> dict[str, Any]:
    kind = given.get("type") if isinstance(given, dict) else None
    if not isinstance(kind, str) or kind not in OPERATORS:
        raise Refused(422, NOT_OURS)
    check_fields(given, {"type", *_FIELDS[kind]})
    sizes = given.get("chars_to_mask", 0)
    sign, value = given.get("masking_char", "*"), given.get("new_value", "")
    right = isinstance(value, str) and isinstance(sign, str) and len(sign) == 1
    if not right or type(sizes) is not int or not isinstance(given.get("from_end", False), bool):
        raise Refused(422, f"a setting of the anonymizer {kind} is of the wrong type.")
    return dict(given)


def _changed(text: str, one: Found, how: dict[str, Any]) -> str:
    if how["type"] == "redact":
        return ""
    if how["type"] == "replace":
        return str(how.get("new_value") or f"<{one.entity_type}>")
    clear = text[one.start : one.end]
    count = min(max(0, how.get("chars_to_mask", len(clear))), len(clear))
    mask = str(how.get("masking_char", "*")) * count
    masked: str = (
        clear[: len(clear) - count] + mask if how.get("from_end") else mask + clear[count:]
    )
    return masked
