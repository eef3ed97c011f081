"""What requests hold, and what is said of a request that holds something else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from .callers import Limits, Refused

NOTE = "Maria told her doctor in London that she sleeps badly."
ANONYMIZERS = ["dx", "mask", "redact", "replace"]
NOT_KNOWN = "there is a field that this route does not know."
NOT_OURS = f"an anonymizer is not one of this service, which has {', '.join(ANONYMIZERS)}."


def _encodable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("a text is not valid Unicode (half of a surrogate pair).") from None
    return text


Text = Annotated[str, AfterValidator(_encodable)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)


class Sanitize(_Body):
    """One of `text` and `texts`."""

    model_config = ConfigDict(json_schema_extra={"example": {"text": NOTE}})
    text: Text = ""
    texts: list[Text] = Field(default=[], description="In place of `text`.")
    receipts: bool = Field(default=False, description="Also report what was done.")

    @model_validator(mode="after")
    def _one_of_both(self) -> Sanitize:
        if self.one == ("texts" in self.model_fields_set):
            raise ValueError("give one of 'text' and 'texts'.")
        return self

    @property
    def one(self) -> bool:
        """Whether a single text is asked for."""
        return "text" in self.model_fields_set

    def within(self, limits: Limits) -> list[str]:
        """Return the texts. Raise Refused (413) where they are too many or too long."""
        return _within([self.text] if self.one else self.texts, limits)


class Result(_Body):
    """An entity, as presidio's analyzer reports it."""

    start: int = Field(ge=0)
    end: int
    entity_type: Text
    score: Any = None
    analysis_explanation: Any = None
    recognition_metadata: Any = None


class Operator(_Body):
    """What becomes of an entity: dx draws its words by the mechanism, redact leaves it out, replace
    puts the same words (or its type) in its place, and mask hides so many characters, or all."""

    type: Literal["dx", "mask", "redact", "replace"]
    new_value: Text = ""
    masking_char: Text = Field(default="*", min_length=1, max_length=1)
    chars_to_mask: int = 2**31
    from_end: bool = False

    @model_validator(mode="after")
    def _only_its_own(self) -> Operator:
        own = {"replace": {"new_value"}, "mask": {"masking_char", "chars_to_mask", "from_end"}}
        if self.model_fields_set - {"type"} - own.get(self.type, set()):
            raise ValueError(NOT_KNOWN)
        return self

    def replacement(self, plain: str, kind: str) -> str:
        """Return what takes the place of an entity, unless words are drawn."""
        if self.type == "replace":
            return self.new_value or f"<{kind}>"
        if self.type == "redact":
            return ""
        count = min(max(0, self.chars_to_mask), len(plain))
        mask = self.masking_char * count
        return plain[: len(plain) - count] + mask if self.from_end else mask + plain[count:]


class Anonymize(_Body):
    """In the shape of presidio's anonymizer. What its analyzer found is replaced; all else stays
    unmodified, as there. `dx`, the default, draws the words of an entity by the mechanism. `hash`
    and `encrypt` are refused: a digest of a name confirms a guess, and a cipher can be undone."""

    model_config = ConfigDict(json_schema_extra={"example": {
        "text": NOTE,
        "analyzer_results": [{"start": 0, "end": 5, "score": 0.9, "entity_type": "PERSON"}],
    }})  # fmt: skip
    text: Text
    analyzer_results: list[Result] = []
    anonymizers: dict[str, Operator] | None = None

    def within(self, limits: Limits) -> list[str]:
        """Return the texts that are drawn. Raise Refused (413) where they are too many, the text is
        too long, or (422) an entity lies outside of it."""
        _within([self.text], limits)
        if len(self.analyzer_results) > limits.texts:
            raise Refused(413, f"at most {limits.texts:,} entities go into a request.")
        if not all(one.start < one.end <= len(self.text) for one in self.analyzer_results):
            raise Refused(422, "an item of 'analyzer_results' lies outside of the text.")
        found = self.entities()
        return [self.text[a:b] for a, b, kind in found if self.operator(kind).type == "dx"]

    def entities(self) -> list[tuple[int, int, str]]:
        """Return start, end and type, in order. What overlaps is one entity, of the type of its
        longest part."""
        merged: list[tuple[int, int, str]] = []
        longest = 0
        for one in sorted(self.analyzer_results, key=lambda r: (r.start, -r.end)):
            start, end, kind, size = one.start, one.end, one.entity_type, one.end - one.start
            if merged and start < merged[-1][1]:
                start, before, other = merged.pop()
                end, kind = max(end, before), kind if size > longest else other
                size = max(size, longest)
            merged.append((start, end, kind))
            longest = size
        return merged

    def operator(self, kind: str) -> Operator:
        """Return what is done about entities of a type."""
        chosen = self.anonymizers or {}
        return chosen.get(kind) or chosen.get("DEFAULT") or Operator(type="dx")

    def answer(self, drawn: Iterable[str]) -> dict[str, Any]:
        """Return what presidio answers, from what was drawn for each text of `within`."""
        text, items, draws, end = "", [], iter(drawn), 0
        for first, last, kind in self.entities():
            operator, plain = self.operator(kind), self.text[first:last]
            new = next(draws) if operator.type == "dx" else operator.replacement(plain, kind)
            text += self.text[end:first]
            items.append({
                "start": len(text), "end": len(text) + len(new), "entity_type": kind, "text": new,
                "operator": operator.type,
            })  # fmt: skip
            text, end = text + new, last
        # Presidio has the last one first.
        return {"text": text + self.text[end:], "items": items[::-1]}


def _within(texts: list[str], limits: Limits) -> list[str]:
    if len(texts) > limits.texts:
        raise Refused(413, f"at most {limits.texts:,} texts go into a request.")
    if any(len(text) > limits.characters for text in texts):
        raise Refused(413, f"a text has {limits.characters:,} characters at most.")
    return texts


_MODELS = (Sanitize, Anonymize, Result, Operator)
_NAMES = {name for model in _MODELS for name in model.model_fields}
_TYPES = {
    "string": "a string", "bool": "true or false", "int": "an integer", "list": "a list",
    "dict": "an object", "model": "an object", "model_attributes": "an object",
}  # fmt: skip


def refusal(errors: Iterable[Mapping[str, Any]]) -> Refused:
    """Return the answer to a body that is not what its route takes.

    Messages and places of pydantic's errors quote the input (a name that is not known, the tag of a
    union): what is used is their type and names of our own fields.
    """
    error = next(iter(errors))
    kind, place = error["type"], error["loc"]
    if kind == "json_invalid":
        return Refused(400, "the body is not JSON.")
    if place in ((), ("body",)) and kind != "value_error":
        return Refused(400, "this is not a JSON object.")
    if kind == "value_error":
        return Refused(422, str(error["ctx"]["error"]))  # of our own validators
    if kind == "extra_forbidden":
        return Refused(422, NOT_KNOWN)
    names = [part for part in place if part in _NAMES]
    if names[-1] == "type":
        return Refused(422, NOT_OURS)
    wanted = _TYPES.get(kind.removesuffix("_type"))
    why = f"is not {wanted}" if wanted else "is missing" if kind == "missing" else "is out of range"
    return Refused(422, f"{names[-1]!r} {why}.")
