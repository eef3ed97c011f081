"""Restore originals in answers of models, whole or streamed. `PROVIDERS` has the fields of texts.

Originals go into text fields, and into arguments of functions that the settings allow, because a
function may send them anywhere. Thoughts of a model keep their surrogates: a signature covers them.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pydantic_core import from_json

from ..io.pieces import word_list
from .requests import ISSUED_FIELDS, THOUGHT_SIGNATURES, InvalidAnswer, map_json, seal
from .restoring import MARK_FORM, Restorer, Rows
from .table import is_common, is_strange

RESTORED_FIELDS = word_list("PROMPT_RESTORED")  # fields of an answer that get originals
HOLDER_FIELDS = word_list("PROMPT_HOLDERS")  # fields of an answer that hold fields of text
ARGUMENT_FIELDS = ("arguments", "input")
BAD_EVENT = "the upstream sent an invalid event."
ID_FIELDS = ("output_index", "item_id", "index", "content_index", "summary_index")
ITEM_IDS = ("output_index", "item_id")  # both tell the items of a response apart
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
        names: Paths of names of called functions, or of pieces of names.
        starts: Paths of what an index counts, if it also counts other things than calls.
        ends: Paths of fields in events that end texts.
        note: The field of a request for instructions to the model.
        last: Types of the event that ends the answer; chats end with [DONE].
    """

    texts: tuple[str, ...]
    arguments: tuple[str, ...]
    names: tuple[str, ...]
    ends: tuple[str, ...]
    note: str
    starts: tuple[str, ...] = ()
    last: tuple[str, ...] = ()


PROVIDERS = {
    "chat": Provider(
        texts=tuple(
            f"choices[].delta.{name}" for name in ("content", "refusal", "reasoning_content")
        ),
        arguments=(
            "choices[].delta.tool_calls[].function.arguments",
            "choices[].delta.function_call.arguments",
        ),
        names=(
            "choices[].delta.tool_calls[].function.name",
            "choices[].delta.function_call.name",
        ),
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
        starts=("response.output_item.added: item",),
        last=("response.completed", "response.incomplete", "response.failed"),
    ),
    "messages": Provider(
        texts=("content_block_delta: delta.text",),
        arguments=("content_block_delta: delta.partial_json",),
        names=("content_block_start: content_block.name",),
        ends=("content_block_stop: type",),
        note="system",
        starts=("content_block_start: content_block",),
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


class Calls:
    """Names of the functions that an answer calls, as the pieces of a stream give them.

    Clients do not read an odd stream alike: some join the pieces of a name, some keep the first or
    the last. So a call is named only if no client can read another function.

    Args:
        named: Names of functions whose arguments get originals; "*" for all.
        offered: Names of the functions that the request offers.
    """

    def __init__(self, named: Collection[str], offered: Collection[str]) -> None:
        self._named, self._others = frozenset(named), frozenset(offered) - frozenset(named)
        self._pieces = defaultdict[Ids, list[str]](list)  # of names, by the ids of their calls
        self._counts = Counter[Ids]()  # of what an index counts, by the ids before it
        self._closed: set[Ids] = set()
        self._in_order = True

    def add_piece(self, ids: Ids, name: Any) -> None:
        """Add a piece of a name. Raise InvalidAnswer if the call has ended."""
        if name in (None, ""):
            return
        if any(ids[:size] in self._closed for size in range(1, len(ids) + 1)):
            raise InvalidAnswer(BAD_EVENT)
        self._pieces[ids].append(name if isinstance(name, str) else "\0")

    def count(self, ids: Ids) -> None:
        """Count what begins at these ids. Clients that append it disagree with its index, unless
        indices come in order."""
        *before, (_, index) = ids
        self._in_order &= index == self._counts[tuple(before)]
        self._counts[tuple(before)] += 1

    def knows(self, ids: Ids) -> bool:
        """Return whether a piece of the name of this call arrived."""
        return ids in self._pieces

    def close(self, ids: Ids) -> None:
        """Note that a call has ended."""
        self._closed.update((ids, *((one,) for one in ids if one[0] in ITEM_IDS)))

    def is_named(self, ids: Ids, name: Any = None) -> bool:
        """Return whether the arguments of a call get originals. name: that of the same object."""
        names = [[name]] if isinstance(name, str) else []
        if ids in self._pieces:
            names.append(self._pieces[ids])
        else:
            items = [(one,) for one in ids if one[0] in ITEM_IDS]
            is_begun = not names or any(map(self._pieces.__contains__, items))
            names += [self._pieces.get(item, [""]) for item in items if is_begun]
        is_known = bool(names) and all(map(self._is_named, names))
        return "*" in self._named or (is_known and self._in_order)

    def may_be_named(self, ids: Ids) -> bool:
        """Return whether further pieces of its name may name this call."""
        first = next(filter(None, map(self._pieces.get, (ids, ids[:1]))), [])
        begun = "".join(first)
        return "*" in self._named or any(name.startswith(begun) for name in self._named)

    def _is_named(self, pieces: list[str]) -> bool:
        return "".join(pieces) in self._named and self._others.isdisjoint(pieces)


class AnswerRestorer:
    """Replaces surrogates in an answer with their originals.

    In a stream, text that may begin a surrogate is held back. Arguments are held back until they
    are complete, because an original may need escapes that a part of a string does not show, and
    because the name of their function may come in pieces.

    Args:
        provider: Where streamed texts stand.
        rows: Rows that restore the texts, see Prompted.
        tools: Names of functions whose arguments get originals; "*" for all.
        escaped: Whether the texts of the answer are JSON.
        offered: Names of the functions that the request offers.
    """

    def __init__(
        self, provider: Provider, rows: Rows, tools: Collection[str], *, escaped: bool,
        offered: Collection[str] = (),
    ) -> None:  # fmt: skip
        self._provider, self._rows = provider, rows
        self._calls = Calls(tools, offered)
        self._texts, self._data = Restorer(rows, escaped=escaped), Restorer(rows, is_value=True)
        self._held: dict[Key, Restorer | list[str]] = {}  # unfinished texts; pieces of arguments
        self._places: dict[Key, Position] = {}  # position of the last piece of each text
        # Of the current event: objects whose text was fed, and ids of texts that it ends.
        self._fed, self._ended = dict[Key, dict[str, Any]](), list[Ids]()
        self._thoughts = defaultdict[Any, str](str)  # by index of their block
        self._written = defaultdict[Key, list[str]](list)  # pieces of texts with originals
        self._number = 0
        self.ids: set[str] = set()  # identifiers that the answer has
        self.complete = False

    def restore(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Return an answer or an event with originals."""
        return self._object(answer, Position())

    def _object(self, holder: dict[str, Any], place: Position) -> dict[str, Any]:
        fields = dict[str, Any]()
        for name in holder:
            inner = place.of(name, holder)
            self._note(holder, name, inner)
            fields[name] = self._field(name, holder, inner)
            if (inner.path, inner.ids) in self._fed:
                self._fed[inner.path, inner.ids] = fields
        signature = THOUGHT_SIGNATURES.get(str(holder.get("type")), "")
        if isinstance(fields.get(signature), str):
            fields[signature] = seal(fields[signature], str(holder.get("thinking") or ""))
        return fields

    def _note(self, holder: dict[str, Any], name: str, place: Position) -> None:
        """Note what a field of an event begins, names or ends."""
        provider, path, ids = self._provider, place.path, place.ids
        if name in ISSUED_FIELDS and isinstance(holder[name], str):
            self.ids.add(holder[name])
        if path in provider.ends and holder[name] is not None:
            self._ended.append(ids)
        if path in provider.names and ids:
            is_new = not provider.starts and not self._calls.knows(ids)
            by_id = [(("item_id", holder["id"]),)] if "id" in holder else []
            for place_of_call in (ids, *by_id):
                self._calls.add_piece(place_of_call, holder[name])
        else:
            is_new = path in provider.starts and bool(ids)
        if is_new:
            self._calls.count(ids)

    def _field(self, name: str, holder: dict[str, Any], place: Position) -> Any:
        """Return a field with originals."""
        value, path = holder[name], place.path
        if path in self._provider.arguments:
            is_held = isinstance(value, str) and self._calls.may_be_named(place.ids)
            return self._feed(value, place, is_call=True) if is_held else value
        if isinstance(value, str) and path in self._provider.texts:
            return self._feed(value, place, is_call=False)
        if name in ARGUMENT_FIELDS:
            is_named = self._calls.is_named(place.ids, holder.get("name"))
            return self._arguments(value) if is_named else value
        is_call = any(map(holder.__contains__, ARGUMENT_FIELDS))
        if is_call or str(holder.get("type")).endswith(("_call", "_use")):
            return value  # of a call, only arguments get originals
        return self._value(value, place, name)

    def _value(self, value: Any, place: Position, name: str) -> Any:
        if isinstance(value, dict | list) and name not in HOLDER_FIELDS:
            return value
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
            raise InvalidAnswer(BAD_EVENT) from None
        for ids in self._ended:
            for key in [key for key in self._held if key[1][: len(ids)] == ids]:
                text, name = self._flush(key), re.split(r"[ .]", key[0])[-1]
                if key in self._fed:
                    self._fed[key][name] += text
                elif text:
                    events.append(self._places[key].alone(text))
            self._calls.close(ids)
        self.complete |= event.get("type") in self._provider.last
        return [self._renumber(sent) for sent in [*events, restored]]

    def end(self) -> list[dict[str, Any]]:
        """Return events with text held back, for texts whose end was not sent."""
        texts = {key: self._flush(key) for key in [*self._held]}
        return [
            self._renumber(self._places[key].alone(text)) for key, text in texts.items() if text
        ]

    def report(self, sent: Iterable[str]) -> dict[str, int]:
        """Count restored originals, kept and altered surrogates, and invented names.

        Args:
            sent: The texts that the model read.
        """
        written = "\n".join("".join(pieces) for pieces in self._written.values())
        originals = {original for original, *_ in self._rows.values()}
        spoken = {word for text in originals for word in _WORD.findall(text.casefold())}
        drawn = {word for text in self._rows for word in _WORD.findall(text)} - spoken
        words = {word for word in _CAPITALISED.findall(written) if word.casefold() not in spoken}
        changed = {word for word in words if word.casefold() in drawn and not is_common(word)}
        is_name, read = partial(is_strange, entries={}), set[str]()
        for text in sent if words else ():
            read.update(_WORD.findall(text))
        restored = list[str]()
        for original in sorted(originals, key=len, reverse=True):  # skip parts of longer originals
            if original in written and original not in "\n".join(restored):
                restored.append(original)
        return {
            "restored": len(restored),
            "kept": len(self._texts.kept | self._data.kept),
            "changed": len(changed) + len(self._changed_marks(written)),
            "invented": sum(is_name(word) and word not in read for word in words - changed),
        }

    def _changed_marks(self, written: str) -> set[tuple[str, str]]:
        """Return label and number of the marks that stay, in a form that is not restored."""
        marks = {match.groups() for row in self._rows if (match := MARK_FORM.fullmatch(row))}
        if not marks:
            return set()
        labels = "|".join(sorted({label for label, _ in marks}))
        found = re.findall(rf"(?<![^\W_])({labels})[\W_]{{0,3}}(\d+)(?![^\W_])", written, re.I)
        return {(label.lower(), number) for label, number in found} & marks

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

    def _arguments(self, arguments: Any) -> Any:
        """Return the arguments of a named function with originals: JSON, or a string of JSON."""
        if not isinstance(arguments, str):
            return self._restore_json(arguments)
        try:
            value = from_json(arguments)
        except ValueError:
            return self._data.restore(arguments)
        return json.dumps(self._restore_json(value), ensure_ascii=False)

    def _restore_json(self, value: Any) -> Any:
        return map_json(value, lambda text, _: self._data.restore(text), self._data.restore)

    def _feed(self, text: str, place: Position, *, is_call: bool) -> str:
        """Hold back a piece. Return the text that no surrogate can change any more."""
        key = place.path, place.ids
        self._places[key], self._fed[key] = place, {}
        if key not in self._held:
            self._held[key] = [] if is_call else self._texts.fresh_copy()
        held = self._held[key]
        if isinstance(held, Restorer):
            return self._note_written(key, held.feed(text))
        held.append(text)
        return ""

    def _flush(self, key: Key) -> str:
        """Return the text or arguments held back, when they end."""
        held = self._held.pop(key)
        if isinstance(held, Restorer):
            return self._note_written(key, held.flush())
        arguments = "".join(held)
        return str(self._arguments(arguments)) if self._calls.is_named(key[1]) else arguments

    def _note_written(self, key: Key, text: str) -> str:
        self._written[key].append(text)
        return text
