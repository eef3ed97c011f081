"""What requests hold, and what is said of a request that holds something else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from .callers import Refused

NOTE = "Maria told her doctor in London that she sleeps badly."


def _encodable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("half of a surrogate pair") from None
    return text


Text = Annotated[str, Field(max_length=100_000), AfterValidator(_encodable)]
MOST = 1000  # texts or entities of a request


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)


class Sanitize(_Body):
    """One of `text` and `texts`."""

    model_config = ConfigDict(json_schema_extra={"example": {"text": NOTE}})
    text: Text = ""
    texts: list[Text] = Field(default=[], max_length=MOST, description="In place of `text`.")
    receipts: bool = Field(default=False, description="Also report what was done.")

    @model_validator(mode="after")
    def _one_of_both(self) -> Sanitize:
        if self.one == ("texts" in self.model_fields_set):
            raise ValueError("both or none")
        return self

    @property
    def one(self) -> bool:
        """Whether a single text is asked for."""
        return "text" in self.model_fields_set

    def wanted(self) -> list[str]:
        """Return the texts that are drawn."""
        return [self.text] if self.one else self.texts


class Result(_Body):
    """An entity, as presidio's analyzer reports it."""

    start: int = Field(ge=0)
    end: int
    entity_type: Text
    score: Any = None
    analysis_explanation: Any = None
    recognition_metadata: Any = None


class Anonymize(_Body):
    """In the shape of presidio's anonymizer: the mechanism draws the words of what its analyzer
    found, and all else stays unmodified, as there."""

    model_config = ConfigDict(json_schema_extra={"example": {
        "text": NOTE,
        "analyzer_results": [{"start": 0, "end": 5, "score": 0.9, "entity_type": "PERSON"}],
    }})  # fmt: skip
    text: Text
    analyzer_results: list[Result] = Field(default=[], max_length=MOST)

    @model_validator(mode="after")
    def _inside(self) -> Anonymize:
        if not all(one.start < one.end <= len(self.text) for one in self.analyzer_results):
            raise ValueError("outside of the text")
        return self

    def wanted(self) -> list[str]:
        """Return the texts of entities, which are drawn."""
        return [self.text[a:b] for a, b, _ in self.entities()]

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

    def answer(self, drawn: Iterable[str]) -> dict[str, Any]:
        """Return what presidio answers, from what was drawn for each text of `wanted`."""
        text, items, end = "", [], 0
        for (first, last, kind), new in zip(self.entities(), drawn, strict=True):
            text += self.text[end:first]
            items.append({
                "start": len(text), "end": len(text) + len(new), "entity_type": kind, "text": new,
                "operator": "dx",
            })  # fmt: skip
            text, end = text + new, last
        # Presidio has the last one first.
        return {"text": text + self.text[end:], "items": items[::-1]}


_NAMES = {name for model in (Sanitize, Anonymize, Result) for name in model.model_fields}


def refusal(errors: Iterable[Mapping[str, Any]]) -> Refused:
    """Return the answer to a body that is not what its route takes.

    Messages and places of pydantic's errors quote the input (a name that is not known, a value):
    what is used is names of our own fields.
    """
    error = next(iter(errors))
    if error["type"] == "json_invalid":
        return Refused(400, "the body is not JSON.")
    name = next((part for part in reversed(error["loc"]) if part in _NAMES), "the body")
    return Refused(422, f"{name!r} is not what this route takes: see /openapi.json.")
