"""Answers of models, with originals, whole or event by event. `PROVIDERS` says where texts stand.

Originals go into fields of text, and into the arguments of functions that the settings allow, since
a function may send them anywhere. What a model thinks keeps its surrogates: a signature covers it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic_core import from_json

from ...entities.surrogates.restoring import Restorer, Rows
from ...entities.surrogates.table import is_common, is_strange
from ...io.pieces import listed
from .prompts import THOUGHT, mapped, sealed

RESTORED = listed("PROMPT_RESTORED")  # the fields of an answer that get originals
IDS = ("output_index", "item_id", "index", "content_index", "summary_index")
OF_RESPONSES = ("output_text", "refusal", "reasoning_text", "reasoning_summary_text")
_WORD, _CAPITALISED = re.compile(r"[^\W\d_]{3,}"), re.compile(r"\b[A-Z][^\W\d_]{2,}")

Ids = tuple[tuple[str, Any], ...]
Key = tuple[str, Ids]  # of a text that comes in pieces: its path, and which of the texts there


@dataclass(frozen=True)
class Provider:
    """Where pieces stand in the streamed events of a provider.

    A path names keys of objects; [] goes through a list; "type: path" is for events of that type.

    Attributes:
        texts, arguments: Pieces of texts, and of the arguments of functions.
        names: The function that is called.
        ends: What stands in an event that ends texts.
        note: The field of a request that tells the model what to do.
        last: Types of an event that ends the answer; in chats it is [DONE].
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
        texts=tuple(f"response.{name}.delta: delta" for name in OF_RESPONSES),
        arguments=("response.function_call_arguments.delta: delta",),
        names=("item.name",),
        ends=(
            *(f"response.{name}.done: type" for name in OF_RESPONSES),
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


@dataclass
class Piece:
    """A field of an event, below these objects; ids: which of the texts of its path."""

    chain: tuple[dict[str, Any], ...]
    steps: tuple[str, ...]
    ids: Ids

    @property
    def value(self) -> Any:
        return self.chain[-1][self.steps[-1]]

    @value.setter
    def value(self, value: Any) -> None:
        self.chain[-1][self.steps[-1]] = value

    def alone(self, text: str) -> dict[str, Any]:
        """Return an event with this text, and nothing else but what says where it belongs."""
        value: Any = text
        for holder, step in reversed(list(zip(self.chain, self.steps, strict=True))):
            is_top = holder is self.chain[0]
            kept = {
                name: item
                for name, item in holder.items()
                if name in IDS
                or (name == "type" and str(item).endswith("_delta"))
                or (is_top and not isinstance(item, dict | list))
            }
            value = {**kept, step.removesuffix("[]"): [value] if step.endswith("[]") else value}
        return dict(value)


def places(event: dict[str, Any], path: str) -> Iterator[Piece]:
    """Yield where a path leads in an event."""
    kind, colon, path = path.rpartition(": ")
    if not colon or event.get("type") == kind:
        yield from _places((event,), tuple(path.split(".")), 0, ())


def _places(
    chain: tuple[dict[str, Any], ...], steps: tuple[str, ...], depth: int, ids: Ids
) -> Iterator[Piece]:
    value, name = chain[-1], steps[depth].removesuffix("[]")
    ids += tuple((field, value[field]) for field in IDS if field in value)
    if depth == len(steps) - 1:
        if value.get(name) is not None:
            yield Piece(chain, steps, ids)
        return
    inner = value.get(name)
    for item in inner if isinstance(inner, list) else [inner]:
        if isinstance(item, dict):
            yield from _places((*chain, item), steps, depth + 1, ids)


class RestoredAnswer:
    """Puts originals into an answer.

    Of a stream, what may be the beginning of a surrogate is held back; so are arguments until they
    are complete, since an original may need escapes that a part of a string does not show.

    Args:
        provider: Where its pieces stand.
        rows: What restores the texts.
        tools: Names of functions whose arguments get originals; "*" for all.
        escaped: Whether the texts of the answer are JSON.
    """

    def __init__(
        self, provider: Provider, rows: Rows, tools: Collection[str], *, escaped: bool
    ) -> None:
        self._provider, self._tools = provider, tools
        self._texts, self._data = Restorer(rows, escaped=escaped), Restorer(rows)
        self._held: dict[Key, Restorer | list[str]] = {}  # unfinished texts; arguments in pieces
        self._place: dict[Key, Piece] = {}  # of the last piece of each
        self._called: dict[Ids, str] = {}  # the function of each call
        self._thought: dict[Ids, str] = {}
        self._number = 0
        self._rows, self._written = rows, dict[Key, list[str]]()  # what was restored
        self.complete = False

    def restored(self, value: Any, key: str = "", tool: Any = None) -> Any:
        """Return an answer with its originals."""
        if isinstance(value, list):
            return [self.restored(item, key) for item in value]
        if isinstance(value, str) and key in RESTORED:
            return self._noted(("", ()), self._texts.restore(value))
        if not isinstance(value, dict):
            return value
        allowed, data = self._allows(value.get("name") or tool), value.get("arguments")
        fields = {
            name: item if name == "input" else self.restored(item, name)
            for name, item in value.items()
        }
        if isinstance(data, str) and allowed:
            fields["arguments"] = self._arguments(data)
        if isinstance(value.get("input"), dict) and allowed:
            fields["input"] = self._mapped(value["input"])
        signature = THOUGHT.get(str(value.get("type")), "")
        if isinstance(fields.get(signature), str):
            fields[signature] = sealed(fields[signature], str(value.get("thinking") or ""))
        return fields

    def events(self, event: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the events to send in the place of one."""
        provider, fed, events = self._provider, dict[Key, Piece](), list[dict[str, Any]]()
        for path in provider.names:
            for place in places(event, path):
                self._called.setdefault(place.ids, place.value)
        for path in (*provider.texts, *provider.arguments):
            for place in places(event, path):
                key, is_call = (path, place.ids), path in provider.arguments
                if isinstance(place.value, str) and (
                    not is_call or self._allows(self._tool(place.ids))
                ):
                    place.value = self._feed(key, place.value, is_call=is_call)
                    fed[key] = self._place[key] = place
        for ended in [place.ids for path in provider.ends for place in places(event, path)]:
            for key in [key for key in self._held if key[1][: len(ended)] == ended]:
                text = self._flush(key)
                if key in fed:
                    fed[key].value += text
                elif text:
                    events.append(self._place[key].alone(text))
        tool = self._tool(tuple((name, event[name]) for name in IDS if name in event))
        events.append(event if fed else self._sealed(self.restored(event, tool=tool)))
        self.complete |= event.get("type") in provider.last
        return [self._numbered(sent) for sent in events]

    def end(self) -> list[dict[str, Any]]:
        """Return events with what is held back of texts that did not end."""
        texts = {key: self._flush(key) for key in [*self._held]}
        return [self._numbered(self._place[key].alone(text)) for key, text in texts.items() if text]

    def report(self, sent: Iterable[str]) -> dict[str, int]:
        """Return how many originals came back, how many words of surrogates came back changed, and
        how many words of names are the model's own. sent: the texts that it read."""
        written = "\n".join("".join(parts) for parts in self._written.values())
        originals = {original for original, *_ in self._rows.values()}
        spoken = {word for text in originals for word in _WORD.findall(text.casefold())}
        drawn = {word for text in self._rows for word in _WORD.findall(text)} - spoken
        words = {word for word in _CAPITALISED.findall(written) if word.casefold() not in spoken}
        changed = {word for word in words if word.casefold() in drawn and not is_common(word)}
        is_name, read = partial(is_strange, entries={}), "\n".join(sent) if words else ""
        restored = list[str]()
        for original in sorted(originals, key=len, reverse=True):  # and no part of another one
            if original in written and original not in "\n".join(restored):
                restored.append(original)
        return {
            "restored": len(restored),
            "changed": len(changed),
            "invented": sum(is_name(word) and word not in read for word in words - changed),
        }

    def _sealed(self, event: dict[str, Any]) -> dict[str, Any]:
        """Return an event, with a seal where it ends what a model thought."""
        for place in places(event, "content_block_delta: delta.thinking"):
            self._thought[place.ids] = self._thought.get(place.ids, "") + str(place.value)
        for place in places(event, "content_block_delta: delta.signature"):
            thought = self._thought.pop(place.ids, "")
            place.value = sealed(str(place.value), thought)
        return event

    def _numbered(self, event: dict[str, Any]) -> dict[str, Any]:
        if "sequence_number" in event:
            event["sequence_number"], self._number = self._number, self._number + 1
        return event

    def _tool(self, ids: Ids) -> str | None:
        return self._called.get(ids) or self._called.get(ids[:1])

    def _allows(self, tool: Any) -> bool:
        """Return whether the arguments of a function get originals."""
        return "*" in self._tools or (isinstance(tool, str) and tool in self._tools)

    def _arguments(self, text: str) -> str:
        """Return arguments with originals, as JSON."""
        try:
            value = from_json(text)
        except ValueError:
            return self._data.restore(text)
        return json.dumps(self._mapped(value), ensure_ascii=False)

    def _mapped(self, value: Any) -> Any:
        return mapped(value, lambda text, _: self._data.restore(text), self._data.restore)

    def _feed(self, key: Key, text: str, *, is_call: bool) -> str:
        """Return what is certain of a text; of arguments, nothing."""
        held = self._held.setdefault(key, [] if is_call else self._texts.anew())
        if isinstance(held, Restorer):
            return self._noted(key, held.feed(text))
        held.append(text)
        return ""

    def _flush(self, key: Key) -> str:
        """Return what is held back, as its text or its arguments end."""
        held = self._held.pop(key)
        if isinstance(held, Restorer):
            return self._noted(key, held.flush())
        return self._arguments("".join(held))

    def _noted(self, key: Key, text: str) -> str:
        self._written.setdefault(key, []).append(text)
        return text
