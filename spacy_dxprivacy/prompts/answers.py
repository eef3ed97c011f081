"""Restore originals in answers of models, whole or streamed. `PROVIDERS` has the fields of texts.

Originals go into text fields, and into arguments of functions that the settings allow, because a
function may send them anywhere. Thoughts of a model keep their surrogates: a signature covers them.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pydantic_core import from_json

from ..io.pieces import word_list
from .requests import THOUGHT_SIGNATURES, InvalidAnswer, map_json, seal
from .restoring import Restorer, Rows
from .table import is_common, is_strange

RESTORED_FIELDS = word_list("PROMPT_RESTORED")  # fields of an answer that get originals
ID_FIELDS = ("output_index", "item_id", "index", "content_index", "summary_index")
RESPONSE_TEXTS = ("output_text", "refusal", "reasoning_text", "reasoning_summary_text")
_WORD, _CAPITALISED = re.compile(r"[^\W\d_]{3,}"), re.compile(r"\b[A-Z][^\W\d_]{2,}")

Ids = tuple[tuple[str, Any], ...]
Key = tuple[str, Ids]  # path and ids of a text that is streamed in pieces


@dataclass(frozen=True)
class Provider:
    """Paths of fields in the streamed events of a provider.

    A path is a sequence of keys; [] stands for the items of a list; "type: path" is for events with
    a type.

    Attributes:
        texts, arguments: Paths of pieces of texts, and of arguments of functions.
        names: Paths of names of called functions.
        ends: Paths of fields in events that end texts.
        note: The field of a request for instructions to the model.
        last: Types of the event that ends the answer; chats end with [DONE].
    """

    texts: tuple[str, ...]
    arguments: tuple[str, ...]
    names: tuple[str, ...]
    ends: tuple[str, ...]
    note: str
    last: tuple[str, ...] = ()


PROVIDERS = {
    "chat": Provider(
        texts=tuple(
            f"choices[].delta.{name}" for name in ("content", "refusal", "reasoning_content")
        ),
        arguments=("choices[].delta.tool_calls[].function.arguments",),
        names=("choices[].delta.tool_calls[].function.name",),
        ends=("choices[].finish_reason",),
        note="messages",
    ),
    "responses": Provider(
        texts=tuple(f"response.{name}.delta: delta" for name in RESPONSE_TEXTS),
        arguments=("response.function_call_arguments.delta: delta",),
        names=("response.output_item.added: item.name",),
        ends=(
            *(f"response.{name}.done: type" for name in RESPONSE_TEXTS),
            "response.function_call_arguments.done: type",
        ),
        note="instructions",
        last=("response.completed", "response.incomplete", "response.failed"),
    ),
    "messages": Provider(
        texts=("content_block_delta: delta.text",),
        arguments=("content_block_delta: delta.partial_json",),
        names=("content_block_start: content_block.name",),
        ends=("content_block_stop: type",),
        note="system",
        last=("message_stop",),
    ),
}


@dataclass(frozen=True)
class Position:
    """The position of a value in an answer or an event.

    Attributes:
        path: As in Provider.
        ids: Indices and ids that tell apart the values at the same path.
        alone: Returns an event with a new value at this position, and otherwise only ids and types.
    """

    path: str = ""
    ids: Ids = ()
    alone: Callable[[Any], Any] = field(default=lambda event: event, repr=False)

    def of(self, name: str, holder: dict[str, Any]) -> Position:
        """Return the position of a field. holder: the object at this position."""
        kind, is_top = holder.get("type"), not self.path
        path = f"{self.path}.{name}" if self.path else f"{kind}: {name}" if kind else name
        kept = {
            key: item
            for key, item in holder.items()
            if key in ID_FIELDS
            or (key == "type" and str(item).endswith("_delta"))
            or (is_top and not isinstance(item, dict | list))
        }
        ids = tuple((key, holder[key]) for key in ID_FIELDS if key in holder)
        return Position(path, self.ids + ids, lambda value: self.alone({**kept, name: value}))

    def item(self) -> Position:
        """Return the position of the items of the list at this position."""
        return Position(f"{self.path}[]", self.ids, lambda value: self.alone([value]))


class AnswerRestorer:
    """Replaces surrogates in an answer with their originals.

    In a stream, text that may begin a surrogate is held back. Arguments are held back until they
    are complete, because an original may need escapes that a part of a string does not show.

    Args:
        provider: Where streamed texts stand.
        rows: Rows that restore the texts, see Prompted.
        tools: Names of functions whose arguments get originals; "*" for all.
        escaped: Whether the texts of the answer are JSON.
    """

    def __init__(
        self, provider: Provider, rows: Rows, tools: Collection[str], *, escaped: bool
    ) -> None:
        self._provider, self._rows, self._tools = provider, rows, tools
        self._texts, self._data = Restorer(rows, escaped=escaped), Restorer(rows)
        self._held: dict[Key, Restorer | list[str]] = {}  # unfinished texts; pieces of arguments
        self._places: dict[Key, Position] = {}  # position of the last piece of each text
        # Of the current event: objects whose text was fed, and ids of texts that it ends.
        self._fed, self._ended = dict[Key, dict[str, Any]](), list[Ids]()
        self._called: dict[Ids, str] = {}  # names of called functions
        self._thoughts = defaultdict[Any, str](str)  # by index of their block
        self._written = defaultdict[Key, str](str)  # texts with originals
        self._number = 0
        self.complete = False

    def restore(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Return an answer or an event with originals."""
        return self._object(answer, Position())

    def _object(self, holder: dict[str, Any], place: Position) -> dict[str, Any]:
        fields = dict[str, Any]()
        for name, item in holder.items():
            inner = place.of(name, holder)
            tool = holder.get("name") or self._called.get(inner.ids)
            tool = tool or self._called.get(inner.ids[:1])
            is_allowed = "*" in self._tools or (isinstance(tool, str) and tool in self._tools)
            fields[name] = self._field(name, item, inner, is_allowed=is_allowed)
            if (inner.path, inner.ids) in self._fed:
                self._fed[inner.path, inner.ids] = fields
        signature = THOUGHT_SIGNATURES.get(str(holder.get("type")), "")
        if isinstance(fields.get(signature), str):
            fields[signature] = seal(fields[signature], str(holder.get("thinking") or ""))
        return fields

    def _field(self, name: str, value: Any, place: Position, *, is_allowed: bool) -> Any:
        """Return a field with originals. is_allowed: whether arguments get them."""
        provider, path = self._provider, place.path
        if path in provider.ends and value is not None:
            self._ended.append(place.ids)
        if path in provider.names and place.ids:
            self._called.setdefault(place.ids, value)
        is_call = path in provider.arguments
        if isinstance(value, str) and (path in provider.texts or (is_call and is_allowed)):
            return self._feed(value, place, is_call=is_call)
        if name == "arguments" and isinstance(value, str) and not is_call:
            return self._arguments(value) if is_allowed else value
        if name == "input":
            return self._restore_json(value) if is_allowed and isinstance(value, dict) else value
        return self._value(value, place, name)

    def _value(self, value: Any, place: Position, name: str) -> Any:
        if isinstance(value, dict):
            return self._object(value, place)
        if isinstance(value, list):
            return [self._value(item, place.item(), name) for item in value]
        if isinstance(value, str) and name in RESTORED_FIELDS:
            return self._note_written(("", ()), self._texts.restore(value))
        return value

    def events(self, event: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the events to send for an event of the upstream.

        Raises:
            InvalidAnswer: For an event of the wrong shape.
        """
        self._fed, self._ended = {}, []
        try:
            restored, events = self._seal_thought(self.restore(event)), list[dict[str, Any]]()
        except TypeError:  # an id that is an object
            raise InvalidAnswer("the upstream sent an invalid event.") from None
        for ids in self._ended:
            for key in [key for key in self._held if key[1][: len(ids)] == ids]:
                text, name = self._flush(key), re.split(r"[ .]", key[0])[-1]
                if key in self._fed:
                    self._fed[key][name] += text
                elif text:
                    events.append(self._places[key].alone(text))
        self.complete |= event.get("type") in self._provider.last
        return [self._renumber(sent) for sent in [*events, restored]]

    def end(self) -> list[dict[str, Any]]:
        """Return events with text held back, for texts whose end was not sent."""
        texts = {key: self._flush(key) for key in [*self._held]}
        return [
            self._renumber(self._places[key].alone(text)) for key, text in texts.items() if text
        ]

    def report(self, sent: Iterable[str]) -> dict[str, int]:
        """Count restored originals, altered surrogates and invented names.

        Args:
            sent: The texts that the model read.
        """
        written = "\n".join(self._written.values())
        originals = {original for original, *_ in self._rows.values()}
        spoken = {word for text in originals for word in _WORD.findall(text.casefold())}
        drawn = {word for text in self._rows for word in _WORD.findall(text)} - spoken
        words = {word for word in _CAPITALISED.findall(written) if word.casefold() not in spoken}
        changed = {word for word in words if word.casefold() in drawn and not is_common(word)}
        is_name, read = partial(is_strange, entries={}), "\n".join(sent) if words else ""
        restored = list[str]()
        for original in sorted(originals, key=len, reverse=True):  # skip parts of longer originals
            if original in written and original not in "\n".join(restored):
                restored.append(original)
        return {
            "restored": len(restored),
            "changed": len(changed),
            "invented": sum(is_name(word) and word not in read for word in words - changed),
        }

    def _seal_thought(self, event: dict[str, Any]) -> dict[str, Any]:
        """Return an event, with a seal if it ends a thought."""
        delta, index = event.get("delta"), event.get("index")
        if isinstance(delta, dict):
            self._thoughts[index] += str(delta.get("thinking") or "")
            if isinstance(delta.get("signature"), str):
                delta["signature"] = seal(delta["signature"], self._thoughts.pop(index))
        return event

    def _renumber(self, event: dict[str, Any]) -> dict[str, Any]:
        if "sequence_number" in event:
            event["sequence_number"], self._number = self._number, self._number + 1
        return event

    def _arguments(self, text: str) -> str:
        """Return arguments with originals, as JSON."""
        try:
            value = from_json(text)
        except ValueError:
            return self._data.restore(text)
        return json.dumps(self._restore_json(value), ensure_ascii=False)

    def _restore_json(self, value: Any) -> Any:
        return map_json(value, lambda text, _: self._data.restore(text), self._data.restore)

    def _feed(self, text: str, place: Position, *, is_call: bool) -> str:
        """Hold back a piece. Return the text that no surrogate can change any more."""
        key = place.path, place.ids
        self._places[key], self._fed[key] = place, {}
        held = self._held.setdefault(key, [] if is_call else self._texts.fresh_copy())
        if isinstance(held, Restorer):
            return self._note_written(key, held.feed(text))
        held.append(text)
        return ""

    def _flush(self, key: Key) -> str:
        """Return the text or arguments held back, when they end."""
        held = self._held.pop(key)
        if isinstance(held, Restorer):
            return self._note_written(key, held.flush())
        return self._arguments("".join(held))

    def _note_written(self, key: Key, text: str) -> str:
        self._written[key] += text
        return text
